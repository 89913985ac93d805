// Memory
#pragma once
#include "basics.hpp"
#ifdef __linux__
#include <sys/mman.h>
#endif

#define MOST_DIMENSIONS 11
struct Spare;
struct Buffer {
    i64 refs;
    i64 bytes;
    i64 room;          // what there is of memory, where it is large
    char *memory;
    union {
        PyObject *object;  // the ndarray that has been made of it, at the end
        Buffer *next;      // of those that are spare
    };
    Spare *spare;      // where it goes when nobody needs it any more
    bool small;        // head and memory are one piece
    bool given;        // the memory is the ndarray's now
    bool odd;          // whether NumPy has given what is in it another order than C's
    int type, ndim;    // of the array that it was made for
    i64 n[MOST_DIMENSIONS];
    char *data() { return memory; }
};
#define HEAD 192
static_assert(sizeof(Buffer) <= HEAD, "a buffer's head");
// Small memory that a run has done with. A loop asks for the same few sizes in
// each iteration, and malloc takes longer for aligned memory than the work.
#define SMALLEST_SPARE 6  // 64 bytes
#define LARGEST_SPARE 16
// So much memory of large arrays that nobody needs is kept: malloc gives the system back what is
// free at the end of its own, and to have a page again costs as much as to compute what is in it.
// There may be many arrays of up to a megabyte; of larger ones, a few would be felt.
struct Kept {
    i64 medium = 0, large = 0;
    bool has_room_for(i64 room) {
        const bool is_medium = room <= (i64)1 << 20;
        i64 &all = is_medium ? medium : large;
        if (all + room > (is_medium ? (i64)1 << 25 : (i64)1 << 23)) return false;
        all += room;
        return true;
    }
};
struct Spare {
    Buffer *first[LARGEST_SPARE - SMALLEST_SPARE + 1] = {};
    Buffer *large = nullptr;  // in no order
    ~Spare() {
        for (Buffer *b : first)
            while (b) { Buffer *next = b->next; free(b); b = next; }
        let_go(true);
    }
    // What is large is kept for one of the same size, or one that takes at least half of it: arrays
    // that shrink have another size each time. Before anything else gets memory, all but a few
    // megabytes is let go: so there is hardly more of it than the arrays needed at one time.
    void let_go(bool all = false) {
        Kept kept;
        for (Buffer **b = &large; *b;) {
            Buffer *const one = *b;
            if (!all && kept.has_room_for(one->room)) { b = &one->next; continue; }
            *b = one->next;
            free(one->memory);
            free(one);
        }
    }
    Buffer *kept(i64 room) {
        Buffer **best = nullptr;
        for (Buffer **b = &large; *b; b = &(*b)->next) {
            const i64 there = (*b)->room;
            if (there < room || there / 2 > room || (best && there >= (*best)->room)) continue;
            best = b;
            if (there == room) break;
        }
        if (!best) return nullptr;
        Buffer *found = *best;
        *best = found->next;
        return found;
    }
    static i64 room_for(i64 bytes) { return (bytes + 63) & ~(i64)63; }
    static int shelf(i64 bytes) {
        if (bytes <= (i64)1 << SMALLEST_SPARE) return 0;
        return 64 - __builtin_clzll((unsigned long long)bytes - 1) - SMALLEST_SPARE;
    }
};
// Memory that is used for the first time comes page by page, which takes longer than most
// loops; NumPy asks for large pages, too, for arrays of twice as many bytes.
#define LARGE_PAGES ((i64)1 << 21)
static inline void ask_for_large_pages(void *memory, i64 bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t first = ((uintptr_t)memory + 4095) & ~(uintptr_t)4095;
    madvise((void *)first, (size_t)((uintptr_t)memory + bytes - first), MADV_HUGEPAGE);
#endif
}
static Buffer *new_head(void *at) {
    if (!at) throw std::bad_alloc();
    return new (at) Buffer;
}
[[gnu::noinline]] static Buffer *new_large(Spare &spare, i64 bytes) {
    const i64 room = Spare::room_for(bytes);
    if (Buffer *made = spare.kept(room)) return made;
    spare.let_go();
    Buffer *made = new_head(malloc(sizeof(Buffer)));
    made->memory = (char *)malloc((size_t)room);
    if (!made->memory) { free(made); throw std::bad_alloc(); }
    if (room >= LARGE_PAGES) ask_for_large_pages(made->memory, room);
    made->room = room;
    made->small = false;
    return made;
}
static inline Buffer *new_buffer(Spare &spare, i64 bytes) {
    Buffer *made;
    if (bytes <= (i64)1 << LARGEST_SPARE) {
        Buffer *&first = spare.first[Spare::shelf(bytes)];
        if (first) {
            made = first;
            first = made->next;
        } else {
            const i64 room = (i64)1 << (Spare::shelf(bytes) + SMALLEST_SPARE);
            made = new_head(aligned_alloc(64, (size_t)(room + HEAD)));
            made->memory = reinterpret_cast<char *>(made) + HEAD;
            made->small = true;
        }
    } else {
        made = new_large(spare, bytes);
    }
    made->refs = 0; made->bytes = bytes; made->object = nullptr; made->given = made->odd = false;
    made->spare = &spare;
    return made;
}
[[gnu::noinline]] static void release(Buffer *b) {
    if (b->given) return free(b);
    Buffer *&first = b->small ? b->spare->first[Spare::shelf(b->bytes)] : b->spare->large;
    b->next = first;
    first = b;
}
INLINE void drop(Buffer *b) {
    if (b && !--b->refs) release(b);
}

