#pragma once

namespace dra_health {

// The HTTP library has one thread pool for the whole process, of 40 threads unless told otherwise
// before anything else touches it. The program calls this first, after it has blocked its signals;
// again, or after another user of the library, it does nothing.
void StartHttpThreads();

}  // namespace dra_health
