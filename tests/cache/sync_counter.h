#pragma once

namespace dra_health {

// How often this process has asked the kernel to bring a file to the disk.
int SyncCount();

}  // namespace dra_health
