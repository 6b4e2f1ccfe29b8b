import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Self-signed X.509 certificates, made where they are needed: also expired and weak ones. */
export interface CertificateOptions {
  readonly commonName?: string;
  readonly from?: number;
  readonly to?: number;
  readonly key?: 'rsa2048' | 'rsa1024' | 'ec' | 'secp112r1' | 'secp256k1' | 'P-384' | 'ed25519';
  readonly hash?: 'sha256' | 'sha1' | 'md5';
}

const day = 86_400_000;

/** DER of an element: its tag, the length of its content, the content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length =
    content.length < 0x80
      ? [content.length]
      : content.length < 0x100
        ? [0x81, content.length]
        : [0x82, content.length >> 8, content.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const absent = Buffer.from([0x05, 0x00]);

const algorithms = {
  rsa: sequence(objectId('2a864886f70d01010b'), absent), // sha256WithRSAEncryption
  ec: sequence(objectId('2a8648ce3d040302')), // ecdsa-with-SHA256
  ed25519: sequence(objectId('2b6570')),
};

const weakAlgorithms = {
  sha1: { rsa: sequence(objectId('2a864886f70d010105'), absent), ec: sequence(objectId('2a8648ce3d0401')) },
  md5: { rsa: sequence(objectId('2a864886f70d010104'), absent), ec: sequence(objectId('2a8648ce3d0401')) },
};

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+|[-:T]/g, '');
  return der(0x18, Buffer.from(digits)); // GeneralizedTime
}

/** Making an RSA key takes long; nothing here depends on a fresh one. */
const keys = new Map<string, { publicKey: KeyObject; privateKey: KeyObject }>();

const isCurve = (kind: string) => !kind.startsWith('rsa') && kind !== 'ed25519';

function keyPair(kind: NonNullable<CertificateOptions['key']>) {
  const known = keys.get(kind);
  if (known !== undefined) return known;
  const made = isCurve(kind)
    ? generateKeyPairSync('ec', { namedCurve: kind === 'ec' ? 'P-256' : kind })
    : kind === 'ed25519'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('rsa', { modulusLength: Number(kind.slice(3)) });
  keys.set(kind, made);
  return made;
}

/** DER in base64, as metadata holds it. Valid from a day ago for ten years unless told otherwise. */
export function makeCertificate(options: CertificateOptions = {}): string {
  const now = Date.now();
  const {
    commonName = 'idp.example',
    from = now - day,
    to = now + 3650 * day,
    key = 'rsa2048',
    hash = 'sha256',
  } = options;
  const { publicKey, privateKey } = keyPair(key);
  const kind = isCurve(key) ? 'ec' : key === 'ed25519' ? key : 'rsa';
  const algorithm = hash === 'sha256' ? algorithms[kind] : weakAlgorithms[hash][isCurve(key) ? 'ec' : 'rsa'];
  const name = sequence(der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from(commonName)))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign(key === 'ed25519' ? null : hash, body, privateKey);
  return sequence(body, algorithm, der(0x03, Buffer.from([0]), signature)).toString('base64');
}

/** Of the key that certificates of this kind are made with. */
export function privateKeyPem(key: NonNullable<CertificateOptions['key']>): string {
  return keyPair(key).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** As an audit record shows a certificate. */
export function fingerprint(base64: string): string {
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}
