/** A browser that subscribes to web push, and reads pushes as RFC 8291 and RFC 8292 describe them, with node:crypto. */
import assert from 'node:assert/strict';
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';
import type { PushRequest } from '../../src/modules/notifications/push/post-push.ts';

export class Browser {
  readonly endpoint: string;
  readonly #pair: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);

  constructor(endpoint = `https://push.example.net/wpush/${randomBytes(12).toString('base64url')}`) {
    this.endpoint = endpoint;
    this.#pair.generateKeys();
  }

  /** As `PushSubscription.toJSON()`. */
  toJSON() {
    const keys = { p256dh: this.#pair.getPublicKey('base64url'), auth: this.#auth.toString('base64url') };
    return { endpoint: this.endpoint, expirationTime: null, keys };
  }

  /** Decrypts the body of a push. */
  read({ body }: Pick<PushRequest, 'body'>) {
    const [salt, keyLength] = [body.subarray(0, 16), body.readUInt8(20)];
    const serverKey = body.subarray(21, 21 + keyLength);
    const secret = this.#pair.computeSecret(serverKey);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#pair.getPublicKey(), serverKey]);
    const material = Buffer.from(hkdfSync('sha256', secret, this.#auth, info, 32));
    const derive = (name: string, length: number) =>
      Buffer.from(hkdfSync('sha256', material, salt, `Content-Encoding: ${name}\0`, length));
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    const sealed = body.subarray(21 + keyLength);
    decipher.setAuthTag(sealed.subarray(-16));
    const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return JSON.parse(text.subarray(0, text.lastIndexOf(2)).toString());
  }
}

/** Asserts that a push is signed with the server's public key for the push service. Returns the claims. */
export function readSignature({ endpoint, headers }: PushRequest, publicKey: string) {
  const [, token = '', key] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(`${headers.Authorization}`) ?? [];
  assert.equal(key, publicKey);
  const point = Buffer.from(publicKey, 'base64url');
  const coordinate = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) };
  const [header = '', claims = '', signature = ''] = token.split('.');
  const isValid = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  assert.ok(isValid, 'the signature is not valid');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString());
  assert.equal(read.aud, new URL(endpoint).origin);
  return read;
}
