import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../errors.ts';
import { checkSkew, isSameSignature, readSignedHeaders, Signer } from './signature.ts';

const key = 'c2VjcmV0LWtleS1mb3ItdGVzdA==';
const tokenId = '5b0c8f0e-5f5e-4f6b-8a52-6f3b7f6c1d22';

/** Signatures that deployed clients made with this key. */
const vectors = [
  {
    request: 'GET /api/v2/jobs/available',
    date: '2026-11-14T20:54:58-05:00',
    body: '',
    signature: 'tvrjcLxYIPrzGfKpsH2qtQvydvSjhuCIrz0bWnYLV3Q=',
  },
  {
    request: 'POST /api/v2/jobs/start',
    date: '2026-11-14T20:54:58-05:00',
    body: '{"id":7}\n',
    signature: 'h4o/aAf184/W6IXF47hmJzBu51GUtL6PF+0Vfudvke0=',
  },
  {
    request: 'POST /api/v2/jobs/end',
    date: '2026-11-14T20:54:58-05:00',
    body: '{"status":"COMPLETE","message":"Collection completed successfully"}\n',
    signature: '+CwkJvPSQDyIWoRksOp1+1IKGvfXcZnOA3W+ny2Fxe8=',
  },
  {
    request: 'GET /api/v2/available-domains?collected=eq:true',
    date: '2026-11-15T02:01:56.110864+00:00',
    body: '',
    signature: 'iocpZ2gPNzpldpILMOz2WcINUfsP5x/vL8OYF6l16ek=',
  },
];

function refused(work: () => unknown, code: string, message: RegExp): void {
  assert.throws(work, (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}

describe('a signature', () => {
  for (const { request, date, body, signature } of vectors) {
    it(`is what a deployed client sends for ${request}`, () => {
      const [method = '', target = ''] = request.split(' ');
      const headers = readSignedHeaders(tokenId, date, signature);
      const signer = new Signer(key, method, target, headers.signedHour);
      for (const byte of Buffer.from(body)) signer.update(Buffer.from([byte]));
      assert.ok(isSameSignature(signer.digest(), headers.signature));
    });
  }

  it('differs when one of its parts does, or has another length', () => {
    const digest = (...parts: ConstructorParameters<typeof Signer>) => new Signer(...parts).digest();
    const right = digest(key, 'GET', '/a?b=1', '2026-11-14T20');
    assert.ok(!isSameSignature(right, digest(`${key}=`, 'GET', '/a?b=1', '2026-11-14T20')));
    assert.ok(!isSameSignature(right, digest(key, 'HEAD', '/a?b=1', '2026-11-14T20')));
    assert.ok(!isSameSignature(right, digest(key, 'GET', '/a', '2026-11-14T20')));
    assert.ok(!isSameSignature(right, digest(key, 'GET', '/a?b=1', '2026-11-14T21')));
    assert.ok(!isSameSignature(right, right.subarray(1)));
    assert.ok(!isSameSignature(right, Buffer.alloc(0)));
    assert.ok(isSameSignature(right, digest(key, 'GET', '/a?b=1', '2026-11-14T20')));
  });
});

describe('the headers of a signed request', () => {
  const signature = vectors[0]?.signature;
  const at = (date: string) => readSignedHeaders(tokenId, date, signature).at;
  const instant = Date.parse('2026-11-15T01:54:53Z');

  it('take every date that clients send, with 0 to 9 digits of a second', () => {
    assert.equal(at('2026-11-14T20:54:53-05:00'), instant);
    assert.equal(at('2026-11-15T01:54:53Z'), instant);
    for (let digits = 1; digits <= 9; digits += 1)
      assert.equal(at(`2026-11-15T01:54:53.${'0'.repeat(digits)}+00:00`), instant);
    assert.equal(at('2026-11-15T01:54:53.850903+00:00'), instant + 851);
    assert.equal(at('2026-11-15T15:54:53+14:00'), instant);
    assert.equal(at('2026-11-14T13:54:53-12:00'), instant);
  });

  it('sign the hour of the zone that they name', () => {
    assert.equal(
      readSignedHeaders(tokenId, '2026-11-14T20:54:53-05:00', signature).signedHour,
      '2026-11-14T20',
    );
  });

  it('are refused with a date that is none', () => {
    const dates = [
      '',
      '2026-11-15',
      '2026-11-15 01:54:53Z',
      '2026-11-15t01:54:53Z',
      '2026-11-15T01:54:53z',
      '2026-11-15T01:54:53',
      '2026-11-15T01:54:53.Z',
      '2026-11-15T01:54:53.1234567890Z',
      '2026-02-30T01:54:53Z',
      '2026-11-15T24:00:00Z',
      'Sun, 15 Nov 2026 01:54:53 GMT',
      '２０２６-11-15T01:54:53Z',
    ];
    for (const date of dates) refused(() => at(date), 'bad_request', /malformed request date/);
  });

  it('are refused with an offset that no place on earth has', () => {
    for (const zone of ['+14:01', '+15:00', '-12:01', '-23:00', '+23:59'])
      refused(() => at(`2026-11-15T01:54:53${zone}`), 'bad_request', /from -12:00 to \+14:00/);
  });

  it('are refused when one is missing or malformed', () => {
    const date = '2026-11-15T01:54:53Z';
    refused(() => readSignedHeaders('7', date, signature), 'bad_request', /^Token ID is malformed\.$/);
    refused(() => readSignedHeaders(tokenId, undefined, signature), 'bad_request', /no request date header$/);
    refused(() => readSignedHeaders(tokenId, date, undefined), 'bad_request', /no signature header$/);
    for (const wrong of ['', 'abc', '####', 'ab-_', `${signature}=`, ` ${signature}`])
      refused(() => readSignedHeaders(tokenId, date, wrong), 'bad_request', /not base64$/);
  });
});

describe('the clock of a signed request', () => {
  it('may differ by an hour either way, and no more', () => {
    const hour = 3_600_000;
    checkSkew(hour, 0);
    checkSkew(-hour, 0);
    refused(() => checkSkew(hour + 1, 0), 'unauthenticated', /too far ahead by 1 minutes/);
    refused(() => checkSkew(-hour - 120_000, 0), 'unauthenticated', /too far behind by 2 minutes/);
  });
});
