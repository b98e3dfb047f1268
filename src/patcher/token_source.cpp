#include "patcher/token_source.h"

#include <algorithm>
#include <utility>

#include <spdlog/spdlog.h>

namespace dra_health {
namespace {

constexpr const char* kSpace = " \t\r\n";

std::string Trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Anything else would let a file's content add headers to a request.
bool IsToken(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F'; });
}

}  // namespace

TokenSource::TokenSource(TextSource source)
    : source_(std::move(source)), token_(Trim(source_.text)) {
  if (!IsToken(token_)) token_.clear();
}

std::string TokenSource::Current(BootTime now) {
  const std::lock_guard lock(mutex_);
  const bool fresh = read_at_ != BootTime::min() && now - read_at_ < kMaxAge;
  if (!fresh) Read(now);
  return token_;
}

void TokenSource::Reread(BootTime now) {
  const std::lock_guard lock(mutex_);
  Read(now);
}

void TokenSource::Read(BootTime now) {
  read_at_ = now;
  if (source_.file.empty()) return;
  const Result<std::string> text = ReadTextFile(source_.file);
  std::string token = text ? Trim(*text) : "";
  if (IsToken(token)) {
    token_ = std::move(token);
    said_unreadable_ = false;
  } else if (!std::exchange(said_unreadable_, true)) {
    spdlog::warn("the API server's token is not read again, the last one is used: {}",
                 text ? source_.file.string() + " holds no token" : text.error().message);
  }
}

}  // namespace dra_health
