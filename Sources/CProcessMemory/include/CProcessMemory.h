#ifndef CPROCESSMEMORY_H
#define CPROCESSMEMORY_H

/// Gives memory back to the system that the process does not need at the moment: free blocks of the heap, and pages of
/// programs and libraries that nobody has written to. Such a page is read again from its file when it is next used, so
/// what only the start needed stays away.
///
/// Safe at any time, from any thread; takes about a millisecond, and some more until the pages in use are back.
void release_unused_memory(void);

#endif
