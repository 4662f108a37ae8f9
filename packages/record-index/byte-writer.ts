/** Composes bytes in memory that is used again and again. */
export class ByteWriter {
  /** Only `length` bytes of these are written. */
  bytes = Buffer.alloc(64 * 1024);
  view = new DataView(this.bytes.buffer, this.bytes.byteOffset);
  length = 0;

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    this.bytes = Buffer.concat([this.bytes], 2 * (this.length + count));
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset);
  }

  add(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  addText(text: string): void {
    this.reserve(3 * text.length);
    this.length += this.bytes.write(text, this.length);
  }

  /** A copy of what was written; the writer is empty again. */
  take(): Buffer {
    const taken = Buffer.concat([this.bytes], this.length);
    this.length = 0;
    return taken;
  }
}
