/** Signature algorithms by the content of their object identifier, in hexadecimal; the hash is at least SHA-256. */
const strong = new Set([
  '2a864886f70d01010b', // sha256WithRSAEncryption
  '2a864886f70d01010c', // sha384WithRSAEncryption
  '2a864886f70d01010d', // sha512WithRSAEncryption
  '2a8648ce3d040302', // ecdsa-with-SHA256
  '2a8648ce3d040303', // ecdsa-with-SHA384
  '2a8648ce3d040304', // ecdsa-with-SHA512
  '2b6570', // Ed25519
  '2b6571', // Ed448
]);
const weakNames: Readonly<Record<string, string>> = {
  '2a864886f70d010104': 'MD5',
  '2a864886f70d010105': 'SHA-1',
  '2a8648ce3d0401': 'SHA-1',
  '2a8648ce380403': 'SHA-1',
  '2b0e03021d': 'SHA-1',
};
const rsaPss = '2a864886f70d01010a';
const sha1 = '06052b0e03021a';
/** SHA-256, SHA-384 and SHA-512. */
const sha2 = ['0609608648016503040201', '0609608648016503040202', '0609608648016503040203'];

/**
 * What is wrong with how a certificate was signed. Nothing in metadata is a root that is trusted for its own sake, so
 * a certificate that signs itself is held to the same rule.
 */
export function signatureProblem(der: Buffer): string | undefined {
  const rule = 'it must be signed with SHA-256, SHA-384 or SHA-512';
  const certificate = readElement(der, 0);
  const body = certificate && readElement(der, certificate.start);
  const algorithm = body && readElement(der, body.end);
  const name = algorithm && readElement(der, algorithm.start);
  if (algorithm === undefined || name === undefined) return `has a signature that cannot be read; ${rule}`;
  const id = der.subarray(name.start, name.end).toString('hex');
  if (strong.has(id)) return undefined;
  if (id === rsaPss) {
    // Without parameters it is SHA-1.
    const parameters = der.subarray(name.end, algorithm.end).toString('hex');
    if (!parameters.includes(sha1) && sha2.some((hash) => parameters.includes(hash))) return undefined;
    return `is signed with SHA-1; ${rule}`;
  }
  return `is signed with ${weakNames[id] ?? 'an algorithm that is not known to be safe'}; ${rule}`;
}

/** Where the content of the DER element at `offset` begins and ends. */
function readElement(der: Buffer, offset: number): { start: number; end: number } | undefined {
  const first = der[offset + 1];
  if (first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4 || offset + 2 + lengthBytes > der.length) return undefined;
  const length = lengthBytes === 0 ? first : der.readUIntBE(offset + 2, lengthBytes);
  const start = offset + 2 + lengthBytes;
  return start + length > der.length ? undefined : { start, end: start + length };
}
