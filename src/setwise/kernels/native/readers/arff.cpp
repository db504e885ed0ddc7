// The rows of ARFF files: numbers are read, other words are located. Each function reads whole lines and stops
// at the first one that is not simple; Python reads that line and calls again.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "checks.h"

namespace setwise {

namespace {

using Span = std::pair<const char *, const char *>;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

Span trimmed(const char *begin, const char *end) {
    while (begin < end && is_blank(*begin)) ++begin;
    while (begin < end && is_blank(end[-1])) --end;
    return {begin, end};
}

// A decimal number that fills the span. Words such as inf and nan, and numbers out of range, are not simple.
bool read_number(Span word, double &number) {
    auto [p, end] = word;
    if (end - p == 1) {  // a single digit, as most words of label matrices and counts
        number = *p - '0';
        return *p >= '0' && *p <= '9';
    }
    if (p < end && *p == '+') ++p;
    const char *digits = p < end && *p == '-' && p == word.first ? p + 1 : p;
    if (digits == end || !((*digits >= '0' && *digits <= '9') || *digits == '.')) return false;
    if (digits + 1 < end && (digits[1] == 'x' || digits[1] == 'X')) return false;
#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
    const auto result = std::from_chars(p, end, number);
    return result.ec == std::errc() && result.ptr == end;
#else
    const std::string copy(p, end);
    char *stop = nullptr;
    number = std::strtod(copy.c_str(), &stop);
    return stop == copy.c_str() + copy.size() && number - number == 0.0;
#endif
}

bool read_value(Span word, double &number) {
    if (word.second - word.first == 1 && *word.first == '?') {
        number = std::numeric_limits<double>::quiet_NaN();
        return true;
    }
    return read_number(word, number);
}

bool is_simple_word(Span word) {
    if (word.first == word.second) return false;
    for (const char *p = word.first; p < word.second; ++p)
        if (*p == '\'' || *p == '"' || *p == '\\' || *p == '%' || *p == '{' || *p == '}') return false;
    return true;
}

// The word between two quotes, without escapes; `end` moves past the closing quote.
bool read_quoted(const char *begin, const char *&end, const char *limit, Span &word) {
    for (const char *p = begin + 1; p < limit && *p != '\\'; ++p)
        if (*p == *begin) {
            word = {begin + 1, p};
            end = p + 1;
            return true;
        }
    return false;
}

struct Line {
    const char *begin, *end, *next;
};

const char *find(const char *p, const char *limit, char wanted) {
    const void *found = p < limit ? std::memchr(p, wanted, std::size_t(limit - p)) : nullptr;
    return found ? static_cast<const char *>(found) : limit;
}

Line line_at(const char *p, const char *limit) {
    const char *end = find(p, limit, '\n');
    auto [first, last] = trimmed(p, end);
    return {first, last, end < limit ? end + 1 : end};
}

template <class T>
Out<T> to_array(const std::vector<T> &values, std::initializer_list<std::size_t> shape) {
    Out<T> result = new_array<T>(shape);
    std::copy(values.begin(), values.end(), result.data());
    return result;
}

struct Reader {
    const char *text;
    const std::uint8_t *coded;  // bytes, as a value other than 0 or 1 is not a valid bool
    std::size_t width;
    std::vector<double> numbers;
    std::vector<std::int64_t> indices, counts, words;
    std::int64_t stop = 0, n_lines = 0;

    void locate(Span word) {
        words.insert(words.end(), {std::int64_t(numbers.size()), word.first - text, word.second - text});
        numbers.push_back(0.0);
    }

    bool value(std::size_t column, Span word) {
        if (coded[column]) {
            if (!is_simple_word(word)) return false;
            locate(word);
            return true;
        }
        double number;
        if (!read_value(word, number)) return false;
        numbers.push_back(number);
        return true;
    }

    bool dense_line(const Line &line) {
        const char *p = line.begin;
        for (std::size_t column = 0; column < width; ++column) {
            while (p < line.end && is_blank(*p)) ++p;
            const char *end = p;
            if (coded[column] && p < line.end && (*p == '\'' || *p == '"')) {
                Span word;
                if (!read_quoted(p, end, line.end, word)) return false;
                while (end < line.end && is_blank(*end)) ++end;
                locate(word);
            } else {
                end = find(p, line.end, ',');
                if (!value(column, trimmed(p, end))) return false;
            }
            const bool last = column + 1 == width;
            if (last ? end != line.end : end == line.end || *end != ',') return false;
            p = end + 1;
        }
        return true;
    }

    // Indices must increase: a repeated one is an error, and sorting is left to Python.
    bool sparse_line(const Line &line) {
        if (line.end - line.begin < 2 || line.end[-1] != '}') return false;
        const auto [begin, end] = trimmed(line.begin + 1, line.end - 1);
        std::int64_t previous = -1;
        for (const char *p = begin; p < end;) {
            const char *stop = find(p, end, ',');
            const Span entry = trimmed(p, stop);
            std::int64_t index;
            const auto result = std::from_chars(entry.first, entry.second, index);
            if (result.ec != std::errc() || result.ptr == entry.second || !is_blank(*result.ptr)) return false;
            if (index <= previous || index >= std::int64_t(width)) return false;
            if (!value(std::size_t(index), trimmed(result.ptr, entry.second))) return false;
            indices.push_back(previous = index);
            p = stop + 1;
            if (stop + 1 == end) return false;  // a trailing comma
        }
        return true;
    }

    // Reads one row per line with `read`, and discards what was read of an unreadable line.
    template <class Read>
    void lines(std::int64_t start, std::int64_t size, Read read) {
        nb::gil_scoped_release release;
        const char *p = text + start, *limit = text + size;
        while (p < limit) {
            const Line line = line_at(p, limit);
            if (line.begin < line.end && *line.begin != '%') {
                const std::size_t old_numbers = numbers.size(), old_words = words.size();
                if (!read(line)) {
                    numbers.resize(old_numbers);
                    indices.resize(std::min(indices.size(), old_numbers));
                    words.resize(old_words);
                    break;
                }
                counts.push_back(std::int64_t(numbers.size() - old_numbers));
            }
            ++n_lines;
            p = line.next;
        }
        stop = p - text;
    }
};

using Text = In<std::uint8_t, 1>;
using Coded = In<bool, 1>;

Reader reader_of(const Text &text, std::int64_t start, const Coded &coded) {
    if (start < 0 || std::size_t(start) > text.shape(0))
        throw std::invalid_argument("start must be between 0 and " + std::to_string(text.shape(0)) + ", got " +
                                    std::to_string(start));
    Reader reader;
    reader.text = reinterpret_cast<const char *>(text.data());
    reader.coded = reinterpret_cast<const std::uint8_t *>(coded.data());
    reader.width = coded.shape(0);
    return reader;
}

nb::tuple arff_dense_rows(Text text, std::int64_t start, Coded coded) {
    Reader reader = reader_of(text, start, coded);
    reader.lines(start, std::int64_t(text.shape(0)),
                 [&](const Line &line) { return *line.begin != '{' && reader.dense_line(line); });
    return nb::make_tuple(to_array(reader.numbers, {reader.counts.size(), reader.width}),
                          to_array(reader.words, {reader.words.size() / 3, 3}), reader.stop, reader.n_lines);
}

nb::tuple arff_sparse_rows(Text text, std::int64_t start, Coded coded) {
    Reader reader = reader_of(text, start, coded);
    reader.lines(start, std::int64_t(text.shape(0)),
                 [&](const Line &line) { return *line.begin == '{' && reader.sparse_line(line); });
    return nb::make_tuple(to_array(reader.numbers, {reader.numbers.size()}),
                          to_array(reader.words, {reader.words.size() / 3, 3}), reader.stop, reader.n_lines,
                          to_array(reader.indices, {reader.indices.size()}),
                          to_array(reader.counts, {reader.counts.size()}));
}

}  // namespace

void register_arff(nb::module_ &m) {
    m.def("arff_dense_rows", &arff_dense_rows, "text"_a, "start"_a, "coded"_a);
    m.def("arff_sparse_rows", &arff_sparse_rows, "text"_a, "start"_a, "coded"_a);
}

}  // namespace setwise
