// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for libFuzzer where the compiler has none: runs LLVMFuzzerTestOneInput over every file below the given
// folders and over each of its truncations, so that ctest replays the corpus with any compiler.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; ++i) {
        for (const auto &entry : std::filesystem::recursive_directory_iterator(argv[i])) {
            if (!entry.is_regular_file())
                continue;
            std::ifstream in(entry.path(), std::ios::binary);
            const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
            std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
            LLVMFuzzerTestOneInput(data.data(), data.size());
            const std::size_t step = data.size() / 64 + 1;
            for (std::size_t cut = 0; cut < data.size(); cut += step)
                LLVMFuzzerTestOneInput(data.data(), cut);
            ++files;
        }
    }
    std::printf("%d corpus files replayed\n", files);
    return files > 0 ? 0 : 1; // an empty corpus proves nothing
}
