import Type from 'typebox';
import type { Deps } from '../../deps.ts';
import { csvLine } from '../../http/csv.ts';
import { Document, type Register } from '../../http/operation.ts';
import { DateTime, DateTimeParameter, Struct } from '../../http/schemas.ts';
import { day, formatRfc3339 } from '../../values/time.ts';
import { readHistory } from './history.ts';
import { csv, EnvironmentsParameter, rangeProblems, TagParameter } from './parameters.ts';
import { dataTypes } from './store.ts';

const defaultRange = 30 * day;

const DataTypeEnum = Type.Enum([...dataTypes]);

const PostureHistory = Struct({
  start: DateTime,
  end: DateTime,
  environments: Type.Array(Type.String()),
  data_type: DataTypeEnum,
  data: Type.Array(Struct({ date: DateTime, value: Type.Integer() })),
});

export function registerHistory(register: Register, deps: Deps): void {
  register({
    id: 'GetPostureHistory',
    method: 'GET',
    url: '/api/v2/posture-history/{data_type}',
    tag: 'Risk posture',
    summary: 'Get posture history',
    description:
      'One point per UTC day on which an analysis ran. Exposure and completeness are whole percents, the others counts; several environments are combined exactly.',
    rules: ['`start` is earlier than `end`, which is now if it is left out'],
    access: { permission: 'graphdb.Read' },
    edition: 'enterprise',
    path: Struct({ data_type: DataTypeEnum }),
    query: Struct({
      environments: EnvironmentsParameter,
      start: Type.Optional(
        DateTimeParameter({ description: 'Beginning of the range, inclusive; default 30 days ago' }),
      ),
      end: Type.Optional(DateTimeParameter({ description: 'End of the range, exclusive; default now' })),
      asset_group_tag_id: TagParameter,
    }),
    volatile: (query) => query.start === undefined || query.end === undefined,
    answer: PostureHistory,
    answerExample: {
      start: '2026-01-01T00:00:00Z',
      end: '2026-01-31T00:00:00Z',
      environments: ['S-1-5-21-1-2-3'],
      data_type: 'exposure',
      data: [{ date: '2026-01-05T02:10:00Z', value: 37 }],
    },
    errors: {
      bad_request: 'start must be before end',
      not_found: 'asset group tag 9 does not exist',
    },
    documents: { [csv]: 'A line for each point: date and value' },
    checkQuery: (query, invalid) => {
      const { start, end } = rangeOf(query, deps.clock());
      return rangeProblems(['start', 'end'], [start, end], invalid);
    },
    handle: async (call) => {
      const { graph, path, query } = call;
      const { environments } = query;
      const { start, end } = rangeOf(query, deps.clock());
      const series = { dataType: path.data_type, environments, start, end, tagId: query.asset_group_tag_id };
      const points = await readHistory(graph, series);
      if (call.prefers(csv)) {
        const lines = points.map(({ at, value }) => csvLine([formatRfc3339(at), value]));
        const text = `${csvLine(['date', 'value'])}${lines.join('')}`;
        return new Document(csv, text, `posture-${path.data_type}.csv`);
      }
      return {
        start: formatRfc3339(start),
        end: formatRfc3339(end),
        environments,
        data_type: path.data_type,
        data: points.map(({ at, value }) => ({ date: formatRfc3339(at), value })),
      };
    },
  });
}

/** Each end has its own default. */
function rangeOf(query: { start?: number; end?: number }, now: number): { start: number; end: number } {
  return { start: query.start ?? now - defaultRange, end: query.end ?? now };
}
