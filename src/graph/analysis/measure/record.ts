import type { Db, Value } from '../../../db/client.ts';
import { wholePercent } from '../../../values/percent.ts';
import type { Estate } from '../estate.ts';
import {
  changeSpells,
  forgetUnpublished,
  lastPublished,
  openRows,
  type SpellTable,
  spellKey,
} from '../spells.ts';
import { writeAsNewest } from '../store.ts';
import type { Environments } from './environments.ts';
import { type Finding, isRatedByImpact } from './findings.ts';
import type { Measured } from './measure.ts';

const measures = ['exposure_count', 'exposure_percent', 'impact_count', 'impact_percent', 'severity'];

const findingTable: SpellTable = {
  name: 'findings',
  key: ['tag_id', 'type', 'source_id', 'target_id', 'environment_id'],
  more: measures,
  // A finding that is over keeps what was measured last.
  atEnd: measures
    .map(
      (name) =>
        `${name} = coalesce((select m.${name} from finding_measures m
           where m.analysis_id = $2 and m.finding_id = findings.id), ${name})`,
    )
    .join(', '),
};

const zoneTable: SpellTable = {
  name: 'zone_spells',
  key: ['tag_id', 'object_id', 'environment_id'],
  more: [],
};

/** From which percent on a finding is low, moderate, high and critical. */
const severityFrom = [0, 40, 80, 95];

export function severityOf(percent: number): number {
  return severityFrom.filter((from) => percent >= from).length - 1;
}

const rowsAtOnce = 5000;

/** Writes what a run found, and which objects its zones have, to be seen once the run is published. */
export async function recordFindings(
  graph: Db,
  analysisId: number,
  estate: Estate,
  measured: Measured,
  tags: Int32Array,
  onStep: () => Promise<void>,
): Promise<void> {
  const before = await lastPublished(graph);
  for (const table of [findingTable, zoneTable]) await forgetUnpublished(graph, table, analysisId, before);
  await onStep();
  const members = membersOf(estate, measured.environments, tags);
  await changeSpells(graph, zoneTable, analysisId, before, members);
  await onStep();
  const present = new Map(measured.findings.map((finding) => keyed(estate, measured, finding)));
  await changeSpells(graph, findingTable, analysisId, before, present);
  await onStep();
  await writeMeasures(graph, analysisId, present, onStep);
}

function membersOf(estate: Estate, { ids, of }: Environments, tags: Int32Array): Map<string, Value[]> {
  const members = new Map<string, Value[]>();
  tags.forEach((tag, node) => {
    if (tag === 0) return;
    // A domain that does not name itself belongs to itself, as where assets are counted.
    const environment = ids[of[node] as number] ?? estate.environment(node) ?? '';
    const key = [tag, estate.objectId(node), environment];
    members.set(spellKey(key), key);
  });
  return members;
}

function keyed(estate: Estate, measured: Measured, finding: Finding): [key: string, values: Value[]] {
  const { environments } = measured;
  const ends = [estate.objectId(finding.source), estate.objectId(finding.target)];
  const key = [finding.tagId, finding.type, ...ends, environments.ids[finding.environment] as string];
  const { exposure, impact, severity } = ratingOf(environments, finding);
  const numbers = [finding.exposureCount, exposure, finding.impactCount, impact, severity];
  return [spellKey(key), [...key, ...numbers]];
}

/** How much of the environment a finding concerns, in percent, and how severe that is. */
export function ratingOf(
  environments: Environments,
  finding: Finding,
): { exposure: number; impact: number; severity: number } {
  const principals = environments.principals[finding.environment] as number;
  const percent = (inside: number) => (principals === 0 ? 0 : wholePercent(inside, principals));
  const exposure = percent(finding.exposureInside);
  const impact = percent(finding.impactInside);
  return { exposure, impact, severity: severityOf(isRatedByImpact(finding) ? impact : exposure) };
}

async function writeMeasures(
  graph: Db,
  analysisId: number,
  present: ReadonlyMap<string, readonly Value[]>,
  onStep: () => Promise<void>,
): Promise<void> {
  const skipped = findingTable.key.length + findingTable.more.length - measures.length;
  for await (const page of openRows(graph, findingTable, 'until_analysis is null', [])) {
    await onStep();
    const rows = page.flatMap(({ id, key }) => {
      const values = present.get(key);
      return values === undefined ? [] : [[analysisId, id, ...values.slice(skipped)]];
    });
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      await writeAsNewest(graph, analysisId, (graph) =>
        graph.bulk(
          'finding_measures',
          ['analysis_id', 'finding_id', ...measures],
          rows.slice(from, from + rowsAtOnce),
        ),
      );
  }
}
