#pragma once

namespace dra_health {

// Trades a little time in malloc for memory, before there are threads: one arena for all threads,
// since one for each keeps what it once needed; and blocks as large as a report are given back at
// once, which glibc else stops doing when it has seen some.
void SaveMemory();

// Gives back to the system what the process does not use at the moment: free heap, and the pages of
// program and libraries that only the start needed; what is needed again comes back from the page
// cache. Costs a few milliseconds at most; any thread.
void ReturnUnusedMemory();

}  // namespace dra_health
