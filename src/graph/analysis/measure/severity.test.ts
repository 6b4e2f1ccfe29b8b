import assert from 'node:assert/strict';
import { it } from 'node:test';
import { severityOf } from './record.ts';

it('a finding is low, moderate, high or critical by its percent', () => {
  assert.deepEqual([0, 39, 40, 79, 80, 94, 95, 100].map(severityOf), [0, 0, 1, 1, 2, 2, 3, 3]);
});
