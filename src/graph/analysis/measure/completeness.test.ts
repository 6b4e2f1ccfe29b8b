import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../../test/graph/drawings.ts';
import { completenessOf } from './completeness.ts';
import { environmentsOf } from './environments.ts';

/** Collected on day 100; seconds of day 86 are the last that count. */
const collected = 100 * 86_400_000;
const edge = 86 * 86_400;

const usual = `enabled=true operatingsystem="Windows Server 2022" lastlogontimestamp=${edge} lastcollected=${collected}`;

/** Of the domain: active computers, those asked for sessions, those asked for local groups. */
function completeness(computers: readonly string[], domain = 'collected=true'): number[] {
  const drawn = computers.map(
    (text, number) => `c${number}: Computer domain=d ${usual}\nc${number}: ... ${text}`,
  );
  const [drawing] = readDrawings(`== drawn\nd: Domain ${domain}\n${drawn.join('\n')}`);
  assert.ok(drawing !== undefined);
  const { active, withSessions, withLocalGroups } = completenessOf(
    drawing.estate,
    environmentsOf(drawing.estate),
  );
  return [active, withSessions, withLocalGroups].flatMap((counts) => [...counts]);
}

describe('completenessOf', () => {
  it('tells sessions from local groups', () => {
    assert.deepEqual(completeness(['scanned=0', 'scanned=1', 'scanned=2', 'scanned=3', '']), [5, 2, 2]);
  });

  it('counts a computer that was seen 14 days before its collection, or later than that', () => {
    assert.deepEqual(completeness([`lastlogontimestamp=${edge} scanned=3`]), [1, 1, 1]);
    assert.deepEqual(completeness([`lastlogontimestamp=${edge + 99 * 86_400} scanned=3`]), [1, 1, 1]);
    assert.deepEqual(completeness([`lastlogontimestamp=${edge - 1} scanned=3`]), [0, 0, 0]);
  });

  it('counts Windows in any case', () => {
    assert.deepEqual(completeness(['operatingsystem="WINDOWS 11"', 'operatingsystem=windows']), [2, 0, 0]);
  });

  for (const text of [
    'enabled=false',
    'enabled=',
    'operatingsystem=Ubuntu',
    'operatingsystem=',
    'operatingsystem=11',
    'lastlogontimestamp=-1',
    'lastlogontimestamp=0',
    'lastlogontimestamp=',
    'lastlogontimestamp="yesterday"',
    'lastcollected=',
    'domain=elsewhere',
  ])
    it(`does not count a computer with ${text}`, () => {
      assert.deepEqual(completeness([`scanned=3 ${text}`]), [0, 0, 0]);
    });

  it('has zeros for a domain without computers, and nothing for one that was not collected', () => {
    assert.deepEqual(completeness([]), [0, 0, 0]);
    assert.deepEqual(completeness(['scanned=3'], 'collected=false'), []);
  });
});
