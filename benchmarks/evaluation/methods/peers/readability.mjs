// Reads pages from standard input and writes their articles to standard output.
//
// A message consists of the number of strings, followed by the length in bytes and the UTF-8
// encoding of each string. Numbers are 32-bit big-endian. A request contains the page and its URL.
// A response contains "ok", title, HTML, byline and date, or "error" and the error.

import { readSync, writeSync } from "node:fs";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";

const INPUT = 0;
const OUTPUT = 1;

function readBytes(size) {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const count = readSync(INPUT, bytes, filled, size - filled, null);
    if (count === 0) process.exit(0);
    filled += count;
  }
  return bytes;
}

function read() {
  const strings = [];
  for (let left = readBytes(4).readInt32BE(); left > 0; left--) {
    strings.push(readBytes(readBytes(4).readInt32BE()).toString("utf8"));
  }
  return strings;
}

function write(...strings) {
  const parts = [Buffer.alloc(4)];
  parts[0].writeInt32BE(strings.length);
  for (const string of strings) {
    const bytes = Buffer.from(string, "utf8");
    const size = Buffer.alloc(4);
    size.writeInt32BE(bytes.length);
    parts.push(size, bytes);
  }
  const message = Buffer.concat(parts);
  for (let sent = 0; sent < message.length; ) {
    sent += writeSync(OUTPUT, message, sent);
  }
}

for (;;) {
  const [html, url] = read();
  try {
    const { document } = parseHTML(html);
    // The library resolves links against these properties, which the parser does not set.
    for (const name of ["baseURI", "documentURI"]) {
      Object.defineProperty(document, name, { value: url || "about:blank" });
    }
    const article = new Readability(document).parse();
    write(
      "ok",
      article?.title ?? "",
      article?.content ?? "",
      article?.byline ?? "",
      article?.publishedTime ?? "",
    );
  } catch (error) {
    write("error", String(error));
  }
}
