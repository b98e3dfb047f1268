#pragma once

#include <string>
#include <string_view>

namespace dra_health {

// What each target defines: hands `input` to the product and requires what must hold of its answer.
void FuzzOne(std::string_view input);

// Ends the process with a message where `holds` is false; the fuzzer then keeps the input.
void Require(bool holds, std::string_view what, std::string_view about = "");

// Judged by other code than the product's own.
bool IsUtf8(const std::string& text);

// UTF-8 on one line without control characters.
void RequirePrintable(const std::string& text);

// "FILE:LINE: ..." with a line that `text` has, printable.
void RequirePlaceInFile(const std::string& message, const std::string& file, std::string_view text);

}  // namespace dra_health
