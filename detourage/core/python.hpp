// Python buffers and strings.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string_view>
#include <vector>

namespace detourage {

// A Python buffer, released at the end of its scope.
class Buffer {
  public:
    Buffer() = default;
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { release(); }
    void release() {
        if (view_.obj) PyBuffer_Release(&view_);
    }
    Py_buffer *operator&() { return &view_; }
    bool is_given() const { return view_.obj; }
    template <typename T> const T *values() const { return static_cast<const T *>(view_.buf); }
    template <typename T> size_t count() const { return static_cast<size_t>(view_.len) / sizeof(T); }
    std::string_view bytes() const { return {values<char>(), count<char>()}; }

  private:
    Py_buffer view_{};
};

// The NUL-terminated strings of a buffer.
inline std::vector<std::string_view> strings_of(const Buffer &buffer) {
    const std::string_view joined = buffer.bytes();
    std::vector<std::string_view> found;
    for (size_t at = 0, end; (end = joined.find('\0', at)) != joined.npos; at = end + 1)
        found.push_back(joined.substr(at, end - at));
    return found;
}

template <typename T, typename Allocator> PyObject *bytes_of(const std::vector<T, Allocator> &values) {
    return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(values.data()),
                                     static_cast<Py_ssize_t>(values.size() * sizeof(T)));
}

inline PyObject *string_of(std::string_view text) {
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

}  // namespace detourage
