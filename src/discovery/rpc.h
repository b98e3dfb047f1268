#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace grpc {
class Channel;
class Status;
}  // namespace grpc

namespace dra_health {

// What gRPC would print to standard error goes to our log, for debugging: what matters of it also
// ends a call, and is told there.
void RouteGrpcLog();

// The gRPC target of a Unix socket. gRPC reads it as a URI, so that a space or a '%' in a path
// would otherwise lead elsewhere.
std::string UnixTarget(const std::string& path);

// A connection of its own: not shared with any other call, and not connected yet. One per attempt,
// since a channel that has seen a socket dead waits out its own back-off, even after the driver is
// there again.
//
// Freed on main only: dropping the last reference inside a gRPC callback can abort.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& path, std::size_t max_receive_bytes);

// "UNAVAILABLE: connection refused": printable, one line, bounded.
std::string Describe(const grpc::Status& status);

}  // namespace dra_health
