import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { compareGraphs, type OpenGraphFile } from '../../../scripts/compare-graphs.ts';
import { exported } from '../../../test/graph/exported.ts';
import { type CollectorFile, emptyGraph, ingest, openGraph } from '../../../test/graph/graph-files.ts';
import type { TestStores } from '../../../test/server/stores.ts';
import { defaultSelectors } from './default-selectors.ts';
import { type AnalysisProgress, analyse } from './run.ts';

const sid = 'S-1-5-21-1-2-3';
const own = (name: string, more: object = {}) => ({
  name,
  domain: 'CORP.LOCAL',
  domainsid: sid,
  distinguishedname: `CN=${name},DC=CORP,DC=LOCAL`,
  ...more,
});
const ace = (PrincipalSID: string, PrincipalType = 'Base') => ({
  PrincipalSID,
  PrincipalType,
  RightName: 'GenericAll',
  IsInherited: false,
});
const dnsAdmins = `${sid}-1101`;
const authenticated = 'CORP.LOCAL-S-1-5-11';

/** They mention objects of which nothing more is known yet. */
const first: readonly CollectorFile[] = [
  {
    type: 'domains',
    data: [
      {
        ObjectIdentifier: sid,
        Properties: own('CORP.LOCAL', { collected: true }),
        Aces: [ace(dnsAdmins), ace(authenticated), ace(`${sid}-512`), ace(`${sid}-1102`), ace(`${sid}-1103`)],
        ChildObjects: [],
      },
    ],
  },
];

/** They say what those are; one only by a name that somebody else knows it by, one by a mention of its kind. */
const later: readonly CollectorFile[] = [
  {
    type: 'groups',
    data: [
      {
        ObjectIdentifier: dnsAdmins,
        Properties: own('DNSADMINS@CORP.LOCAL', { samaccountname: 'DnsAdmins' }),
        Aces: [],
        Members: [{ ObjectIdentifier: `${sid}-1104`, ObjectType: 'User' }],
      },
      {
        ObjectIdentifier: `${sid}-512`,
        Properties: own('DOMÄNEN-ADMINS@CORP.LOCAL'),
        Aces: [],
        Members: [],
      },
      {
        ObjectIdentifier: `${sid}-513`,
        Properties: { name: 'DOMÄNEN-BENUTZER@CORP.LOCAL', distinguishedname: 'CN=DU,DC=CORP,DC=LOCAL' },
        Aces: [],
        Members: [],
      },
      {
        ObjectIdentifier: 'CORP.LOCAL-S-1-1-0',
        Properties: { name: 'JEDER@CORP.LOCAL', reconcile: false },
        Aces: [],
        Members: [],
      },
    ],
  },
  {
    type: 'computers',
    data: [
      {
        ObjectIdentifier: `${sid}-1102`,
        Properties: own('PC.CORP.LOCAL'),
        Aces: [ace(authenticated, 'Group'), ace(`${sid}-515`, 'User')],
        PrimaryGroupSID: `${sid}-515`,
        LocalGroups: [
          {
            ObjectIdentifier: `${sid}-1102-544`,
            Name: 'ADMINISTRATORS@PC.CORP.LOCAL',
            Collected: true,
            Results: [{ ObjectIdentifier: `${sid}-1103`, ObjectType: 'User' }],
            LocalNames: [{ ObjectIdentifier: `${sid}-1103`, PrincipalName: 'CORP\\EVE' }],
          },
        ],
      },
    ],
  },
];

const zone = {
  id: 1,
  position: 1,
  kind: 'Tag_Tier_Zero',
  selectors: defaultSelectors.map(({ key }) => ({ rule: key })),
};

describe('files that come while an analysis runs', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openGraph();
  });
  after(() => stores.remove());

  let runs = 0;
  async function run(onProgress: (progress: AnalysisProgress) => void | Promise<void> = () => {}) {
    runs += 1;
    await analyse(
      stores.graph,
      {
        requestId: runs,
        settings: { citrixRdp: true },
        zones: [zone],
        clock: () => 5000 + runs,
        publish: async () => {},
      },
      { isStopped: () => false, onProgress },
    );
  }
  async function bring(files: readonly CollectorFile[], seenAt: number): Promise<void> {
    for (const file of files) {
      const [result] = await ingest(stores.graph, file, { seenAt });
      assert.deepEqual([result?.outcome, result?.warnings], ['complete', []]);
    }
  }
  async function afterwards(...steps: (() => Promise<void>)[]): Promise<OpenGraphFile> {
    await emptyGraph(stores.graph);
    for (const step of steps) await step();
    return exported(stores.graph);
  }
  const bringFirst = () => bring(first, 1000);
  const bringLater = () => bring(later, 2000);
  const nameOf = ({ graph }: OpenGraphFile, wanted: string) =>
    graph.nodes.find(({ id }) => id === wanted)?.properties?.name;

  /** The calls of each stage's beginning, and all while the graph is read and put in order. */
  async function moments(): Promise<[call: number, name: string][]> {
    const calls: AnalysisProgress[] = [];
    await afterwards(bringFirst, () => run((progress) => void calls.push(progress)));
    return calls.flatMap(({ stage, percent }, call) =>
      stage === 'loading' || calls[call - 1]?.stage !== stage ? [[call, `${stage} ${percent} %`]] : [],
    );
  }

  it('leave the same graph as when all of them come first, at whatever stage', async () => {
    const expected = await afterwards(bringFirst, bringLater, run);
    assert.equal(nameOf(expected, dnsAdmins), 'DNSADMINS@CORP.LOCAL');
    assert.equal(nameOf(expected, authenticated), 'AUTHENTICATED USERS@CORP.LOCAL');
    assert.equal(expected.graph.nodes.find(({ id }) => id === dnsAdmins)?.zone, 'Tag_Tier_Zero');
    const all = await moments();
    assert.ok(new Set(all.map(([, name]) => name.split(' ')[0])).size === 6);
    for (const [moment, name] of all) {
      let call = 0;
      const during = () =>
        run(async () => {
          if (call++ === moment) await bringLater();
        });
      const seen = await afterwards(bringFirst, during);
      assert.equal(nameOf(seen, dnsAdmins), 'DNSADMINS@CORP.LOCAL', `${name}: not yet`);
      await run();
      assert.deepEqual(compareGraphs(expected, await exported(stores.graph)), [], name);
    }
  });

  it('leave the same graph when every one of them is followed by a run, in any order', async () => {
    const files = [...first, ...later];
    const expected = await afterwards(() => bring(files, 1000), run);
    for (const order of [files, [...files].reverse(), [files[1], files[0], files[2]]]) {
      const steps = order.flatMap((file) => [() => bring([file as CollectorFile], 1000), run]);
      assert.deepEqual(compareGraphs(expected, await afterwards(...steps)), []);
    }
  });
});
