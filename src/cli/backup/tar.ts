/**
 * Writes and reads archives in the format ustar of POSIX, which every `tar` reads. Sizes above 8 GiB are written as GNU tar
 * does. The reader accepts only what the writer writes, so that any other byte is damage.
 */
import type { FileHandle } from 'node:fs/promises';

const blockSize = 512;
const largestOctalSize = 0o77777777777;

/** The archive is incomplete or damaged. The message continues the sentence "FILE …". */
export class TarError extends Error {}

/** The header of a file that only its owner can read. @param at in seconds since 1970 */
function headerOf(name: string, size: number, at: number): Buffer {
  const header = Buffer.alloc(blockSize);
  const octal = (value: number, length: number) => value.toString(8).padStart(length, '0');
  header.write(name, 0, 100);
  header.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  if (size <= largestOctalSize) header.write(`${octal(size, 11)}\0`, 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write(`${octal(at, 11)}\0        0`, 136);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

function parseHeader(header: Buffer): { name: string; size: number } {
  const name = header.toString('utf8', 0, header.indexOf(0));
  const number = (at: number) => Number.parseInt(header.toString('latin1', at, at + 11), 8);
  const size = header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : number(124);
  const at = number(136);
  const isValid = Number.isSafeInteger(size) && Number.isSafeInteger(at);
  if (!isValid || !headerOf(name, size, at).equals(header)) throw new TarError('is damaged');
  return { name, size };
}

const paddingOf = (size: number): number => (blockSize - (size % blockSize)) % blockSize;
const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

export class TarWriter {
  readonly #file: FileHandle;
  readonly #at: number;
  #size = 0;

  /** @param file empty, and open for writing at any position */
  constructor(file: FileHandle, at: Date) {
    this.#file = file;
    this.#at = Math.floor(at.getTime() / 1_000);
  }

  /** Adds a file, whose size need not be known before its end: the header is written last. */
  async add(name: string, content: AsyncIterable<Buffer>): Promise<void> {
    const start = this.#size;
    await this.#append(Buffer.alloc(blockSize));
    for await (const chunk of content) await this.#append(chunk);
    const size = this.#size - start - blockSize;
    await this.#append(Buffer.alloc(paddingOf(size)));
    await this.#file.write(headerOf(name, size, this.#at), 0, blockSize, start);
  }

  async end(): Promise<void> {
    await this.#append(Buffer.alloc(2 * blockSize));
  }

  async #append(bytes: Buffer): Promise<void> {
    await this.#file.appendFile(bytes);
    this.#size += bytes.length;
  }
}

/** `content` can be read once, and only until the next file is asked for. What is not read is skipped. */
export type TarEntry = { name: string; content: AsyncIterable<Buffer> };

/** Reads the files of an archive in their order. @throws TarError */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry, void> {
  const bytes = new ByteSource(source);
  for (let header = await bytes.read(blockSize); !isZero(header); header = await bytes.read(blockSize)) {
    const { name, size } = parseHeader(header);
    const end = bytes.position + size;
    yield { name, content: bytes.until(end) };
    for await (const _ of bytes.until(end));
    if (!isZero(await bytes.read(paddingOf(size)))) throw new TarError('is damaged');
  }
  if (!isZero(await bytes.read(blockSize)) || !(await bytes.isAtEnd())) throw new TarError('is damaged');
}

class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  position = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async *until(end: number): AsyncGenerator<Buffer, void> {
    while (this.position < end) {
      if (await this.isAtEnd()) throw new TarError('is incomplete');
      const part = this.#chunk.subarray(0, end - this.position);
      this.#chunk = this.#chunk.subarray(part.length);
      this.position += part.length;
      yield part;
    }
  }

  async read(size: number): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.until(this.position + size)));
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return true;
      this.#chunk = next.value;
    }
    return false;
  }
}
