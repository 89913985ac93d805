// A few things of C's in a row. (What <vector> declares takes longer to read than most loops.)
#pragma once
#include "basics.hpp"

template <class T> struct Pile {
    static_assert(std::is_trivially_copyable<T>::value, "what is moved is copied");
    Pile() = default;
    Pile(const Pile &) = delete;
    Pile &operator=(const Pile &) = delete;
    ~Pile() { free(first); }
    bool empty() const { return !count; }
    i64 size() const { return count; }
    const T *begin() const { return first; }
    const T *end() const { return first + count; }
    void reserve(i64 wanted) {
        if (wanted <= room) return;
        T *const more = (T *)realloc((void *)first, (size_t)wanted * sizeof(T));
        if (!more) throw std::bad_alloc();
        first = more;
        room = wanted;
    }
    [[gnu::noinline]] void push(T one) {
        if (count == room) reserve(room ? 2 * room : 4);
        first[count++] = one;
    }

private:
    T *first = nullptr;
    i64 count = 0, room = 0;
};
