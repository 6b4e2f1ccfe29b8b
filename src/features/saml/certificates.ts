import { X509Certificate } from 'node:crypto';
import { quoteShort } from '../../values/text.ts';
import { formatRfc3339 } from '../../values/time.ts';
import { signatureProblem } from './certificate-signature.ts';

/** A certificate that an identity provider signs with. */
export interface SigningCertificate {
  /** DER in base64. */
  readonly base64: string;
  readonly subject: string;
  readonly validFrom: number;
  readonly validTo: number;
}

const leastRsaBits = 2048;
/** OpenSSL's names of P-256, P-384 and P-521. */
const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** Reads a certificate as metadata holds it; the problem completes "the certificate …". */
export function readCertificate(text: string): SigningCertificate | { readonly problem: string } {
  const base64 = text.replace(/[ \t\r\n]+/g, '');
  if (base64 === '') return { problem: 'is empty' };
  const der = Buffer.from(base64, 'base64');
  // Buffer.from skips whatever is not base64, so only a round trip proves that nothing was skipped.
  if (der.toString('base64') !== base64) return { problem: 'is not base64' };
  const certificate = parse(der);
  if (certificate === undefined) return { problem: 'is base64, but not of an X.509 certificate' };
  const validFrom = Date.parse(certificate.validFrom);
  const validTo = Date.parse(certificate.validTo);
  if (Number.isNaN(validFrom) || Number.isNaN(validTo)) return { problem: 'has no readable validity' };
  const problem = keyProblem(certificate) ?? signatureProblem(der);
  if (problem !== undefined) return { problem };
  const subject = certificate.subject?.split('\n').join(', ') || `serial number ${certificate.serialNumber}`;
  return { base64, subject: quoteShort(subject, 120).slice(1, -1), validFrom, validTo };
}

function parse(der: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(der);
    // Node would also take PEM text, and a certificate with more bytes behind it.
    return certificate.raw.equals(der) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function keyProblem(certificate: X509Certificate): string | undefined {
  let key: X509Certificate['publicKey'];
  try {
    key = certificate.publicKey;
  } catch {
    return 'has a public key that cannot be read';
  }
  const type = key.asymmetricKeyType;
  if (type === 'ec') {
    const curve = key.asymmetricKeyDetails?.namedCurve ?? 'unknown';
    return curves.has(curve)
      ? undefined
      : `has an EC key on the curve ${curve}; it must be P-256, P-384 or P-521`;
  }
  if (type !== 'rsa' && type !== 'rsa-pss')
    return `has a key of type ${type ?? 'unknown'}; it must be RSA of at least ${leastRsaBits} bits, or EC of P-256, P-384 or P-521`;
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits >= leastRsaBits) return undefined;
  return `has an RSA key of ${bits} bits; it must have at least ${leastRsaBits}`;
}

/** Why a certificate can't be used at this moment, if so. */
export function untimely(
  { subject, validFrom, validTo }: SigningCertificate,
  now: number,
): string | undefined {
  if (now >= validTo) return `the certificate of ${subject} expired at ${formatRfc3339(validTo)}`;
  if (now < validFrom) return `the certificate of ${subject} is not valid before ${formatRfc3339(validFrom)}`;
  return undefined;
}
