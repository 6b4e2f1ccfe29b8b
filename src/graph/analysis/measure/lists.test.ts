import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDrawings } from '../../../../test/graph/drawings.ts';
import { keptProperties } from '../kept-properties.ts';
import { measure } from './measure.ts';

/** Types and names of findings, and the points about what is known, when all of this is in Tier Zero. */
function listed(text: string) {
  const [drawing] = readDrawings(`== drawn\n${text}`);
  assert.ok(drawing !== undefined);
  const { estate, nameOf } = drawing;
  const tags = new Int32Array(estate.size).fill(1);
  const { findings, points } = measure(estate, [{ id: 1, position: 1 }], tags);
  return {
    findings: findings.map(({ type, source, target, tagId }) => {
      assert.deepEqual([source, tagId], [target, 1]);
      return `${type} ${nameOf(source)}`;
    }),
    checked: points.flatMap(({ dataType, environmentId, numerator, denominator }) =>
      dataType.startsWith('checked') ? [`${dataType} ${environmentId} ${numerator}/${denominator}`] : [],
    ),
    attackPaths: points.flatMap(({ dataType, tagId, numerator }) =>
      dataType === 'attack-paths' && tagId === 1 ? [numerator] : [],
    ),
  };
}

describe('accounts of Tier Zero that are not marked sensitive', () => {
  const domain = 'd: Domain collected=true\n';

  it('are enabled users that say so', () => {
    const found = listed(`${domain}
      open: User domain=d enabled=true sensitive=false
      marked: User domain=d enabled=true sensitive=true
      off: User domain=d enabled=false sensitive=false
      pc: Computer domain=d enabled=true sensitive=false
      elsewhere: User enabled=true sensitive=false`);
    assert.deepEqual(found.findings, ['T0MarkSensitive open']);
    assert.deepEqual(found.checked, ['checked T0MarkSensitive D 2/2']);
  });

  it('are none where nobody collected it, and that is told', () => {
    const found = listed(
      `${domain}silent: User domain=d enabled=true\nodd: User domain=d enabled=true sensitive="no"`,
    );
    assert.deepEqual([found.findings, found.checked], [[], ['checked T0MarkSensitive D 0/2']]);
  });

  it('count as attack paths by who falls with them', () => {
    const found = listed(`${domain}
      ann: User domain=d enabled=true sensitive=false
      bob: User domain=d enabled=true sensitive=true
      ann -GenericAll-> bob`);
    assert.deepEqual(found.attackPaths, [2]);
  });
});

describe('roles of Tier Zero that are taken without a second factor', () => {
  const tenant = 't: AZTenant collected=true tenantid=T\n';
  const role = (name: string, properties: string) => `${name}: AZRole tenantid=T ${properties}\n`;

  it('are those whose policy asks for none', () => {
    const found = listed(
      tenant +
        role(
          'open',
          'enduserassignmentrequiresmfa=false enduserassignmentrequirescapauthenticationcontext=false',
        ) +
        role('older', 'enduserassignmentrequiresmfa=false') +
        role('safe', 'enduserassignmentrequiresmfa=true') +
        role(
          'context',
          'enduserassignmentrequiresmfa=false enduserassignmentrequirescapauthenticationcontext=true',
        ),
    );
    assert.deepEqual(found.findings, ['AzureT0RoleActivationNoMFA open', 'AzureT0RoleActivationNoMFA older']);
    assert.deepEqual(found.checked, ['checked AzureT0RoleActivationNoMFA T 4/4']);
  });

  it('are none where no policy was collected, and that is told', () => {
    const found = listed(tenant + role('silent', '') + role('known', 'enduserassignmentrequiresmfa=true'));
    assert.deepEqual([found.findings, found.checked], [[], ['checked AzureT0RoleActivationNoMFA T 1/2']]);
  });
});

describe('lists', () => {
  it('read only what is kept in memory', () => {
    for (const name of [
      'sensitive',
      'enduserassignmentrequiresmfa',
      'enduserassignmentrequirescapauthenticationcontext',
    ])
      assert.ok(keptProperties.has(name), name);
  });
});
