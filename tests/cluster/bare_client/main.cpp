// The benchmark's measure of what is possible: sends JSON patches that are ready in a file over a
// few connections, as fast as the API server answers, and does nothing else.
//
//   bare_client SERVER CA_FILE TOKEN CONNECTIONS PATCH_FILE
//
// Each line of the file is a path, a tab and the patch. Prints one JSON object with the wall times,
// in nanoseconds, of the first request and the last answer, and how many were answered 200. Every
// connection is open before the first request.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <cpprest/http_client.h>

namespace {

using web::http::client::http_client;

struct Patch {
  std::string path;
  std::string body;
};

std::vector<Patch> ReadPatches(const char* file) {
  std::ifstream lines(file);
  std::vector<Patch> patches;
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos) continue;
    patches.push_back({line.substr(0, tab), line.substr(tab + 1)});
  }
  return patches;
}

http_client Connect(const std::string& server, const std::string& ca_file) {
  web::http::client::http_client_config config;
  config.set_ssl_context_callback(
      [ca_file](boost::asio::ssl::context& context) { context.load_verify_file(ca_file); });
  return {server, config};
}

// The status of the answer, or 0 when there was none.
int Send(http_client& client, const web::http::method& method, const std::string& token,
         const std::string& path, const std::string& body) try {
  web::http::http_request request(method);
  request.set_request_uri(path);
  request.headers().add("Authorization", "Bearer " + token);
  if (!body.empty()) request.set_body(body, "application/json-patch+json");
  auto response = client.request(request).get();
  response.extract_vector().get();  // the connection is reused only once the body is read
  return response.status_code();
} catch (const std::exception& error) {
  std::cerr << path << ": " << error.what() << "\n";
  return 0;
}

std::int64_t Nanoseconds() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: bare_client SERVER CA_FILE TOKEN CONNECTIONS PATCH_FILE\n";
    return 2;
  }
  const std::string token = argv[3];
  const int connections = std::max(1, std::atoi(argv[4]));
  const std::vector<Patch> patches = ReadPatches(argv[5]);
  std::vector<http_client> clients;
  for (int i = 0; i < connections; ++i) {
    clients.push_back(Connect(argv[1], argv[2]));
    if (Send(clients.back(), web::http::methods::GET, token, "/version", "") != 200) return 1;
  }

  std::atomic<std::size_t> next{0};
  std::atomic<int> answered{0};
  const std::int64_t started = Nanoseconds();
  std::vector<std::thread> threads;
  threads.reserve(clients.size());
  for (auto& client : clients) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < patches.size(); i = next++) {
        const Patch& patch = patches[i];
        const int status = Send(client, web::http::methods::PATCH, token, patch.path, patch.body);
        if (status == 200) {
          ++answered;
        } else {
          std::cerr << patch.path << ": " << status << "\n";
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::cout << R"({"started":)" << started << R"(,"ended":)" << Nanoseconds() << R"(,"patches":)"
            << patches.size() << R"(,"answered":)" << answered << "}\n";
  return answered == static_cast<int>(patches.size()) ? 0 : 1;
}
