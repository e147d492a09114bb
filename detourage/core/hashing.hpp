// Hashes of keys that a page determines. Hashes depend on random numbers, so that no page can be crafted
// with colliding keys, which would take quadratic time. The order of tables must not affect results.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace detourage {

// SipHash-1-3.
class SipHash {
  public:
    void add(uint64_t word) {
        d_ ^= word;
        mix();
        a_ ^= word;
    }
    void add(std::string_view text) {
        size_t at = 0;
        for (; at + 8 <= text.size(); at += 8) add(word(text.data() + at, 8));
        add(word(text.data() + at, text.size() - at));
        add(uint64_t{text.size()});
    }
    uint64_t result() {
        c_ ^= 255;
        for (int i = 0; i < 3; i++) mix();
        return a_ ^ b_ ^ c_ ^ d_;
    }

  private:
    struct Secret {
        uint64_t one, other;
    };
    static const Secret &secret() {
        static const Secret drawn = [] {
            std::random_device random;
            const auto draw = [&] { return uint64_t{random()} << 32 | random(); };
            const uint64_t one = draw();
            return Secret{one, draw()};
        }();
        return drawn;
    }
    static uint64_t word(const char *from, size_t size) {
        uint64_t value = 0;
        if (size) std::memcpy(&value, from, size);
        return value;
    }
    void mix() {
        a_ += b_, b_ = std::rotl(b_, 13) ^ a_, a_ = std::rotl(a_, 32);
        c_ += d_, d_ = std::rotl(d_, 16) ^ c_;
        a_ += d_, d_ = std::rotl(d_, 21) ^ a_;
        c_ += b_, b_ = std::rotl(b_, 17) ^ c_, c_ = std::rotl(c_, 32);
    }

    uint64_t a_ = secret().one ^ 0x736f6d6570736575u, b_ = secret().other ^ 0x646f72616e646f6du;
    uint64_t c_ = secret().one ^ 0x6c7967656e657261u, d_ = secret().other ^ 0x7465646279746573u;
};

// Hashes numbers and texts, and sequences, pairs and tuples of them.
struct Scattered {
    template <typename Key> size_t operator()(const Key &key) const {
        SipHash hash;
        add(hash, key);
        return static_cast<size_t>(hash.result());
    }

  private:
    template <typename Key> static void add(SipHash &hash, const Key &key) {
        if constexpr (std::is_integral_v<Key>) {
            hash.add(static_cast<uint64_t>(key));
        } else if constexpr (std::is_convertible_v<const Key &, std::string_view>) {
            hash.add(std::string_view(key));
        } else if constexpr (requires { key.begin(); }) {
            for (const auto &each : key) add(hash, each);
        } else {
            std::apply([&](const auto &...each) { (add(hash, each), ...); }, key);
        }
    }
};

template <typename Key, typename Value> using ScatteredMap = std::unordered_map<Key, Value, Scattered>;
template <typename Key> using ScatteredSet = std::unordered_set<Key, Scattered>;

}  // namespace detourage
