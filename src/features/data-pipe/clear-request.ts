import Type, { type Static } from 'typebox';
import { AppError, type Problem } from '../../errors.ts';
import { Nullable, published, Struct } from '../../http/schemas.ts';
import type { Clear } from './store.ts';

export const confirmation = 'delete';

/** The numbers that deployed clients know the built-in source kinds by. */
const numberedKinds: ReadonlyMap<number, string> = new Map([
  [1, 'Base'],
  [2, 'AZBase'],
]);

const Choice = (description: string) => Type.Optional(Type.Boolean({ description }));

export const ClearRequest = Struct({
  confirm: Type.Optional(
    Type.String({
      description: `The word ${confirmation}; left out by deployed clients, and then not asked for`,
      ...published({ const: confirmation }),
    }),
  ),
  deleteCollectedGraphData: Choice('All nodes and edges'),
  deleteSourceKinds: Type.Optional(
    Nullable(
      Type.Array(
        Type.Union([
          Type.String({ minLength: 1, maxLength: 128 }),
          Type.Integer(published({ enum: [...numberedKinds.keys()] })),
        ]),
        {
          maxItems: 100,
        },
      ),
      {
        description:
          'Nodes that have one of these kinds, such as AZBase, with their edges; 1 is Base, 2 is AZBase',
      },
    ),
  ),
  deleteFileIngestHistory: Choice('Uploads and files that are finished, and what became of them'),
  deleteDataQualityHistory: Choice('Runs of analysis and the posture history that they measured'),
  deleteAssetGroupSelectors: Type.Optional(
    Nullable(Type.Array(Type.Integer(), published({ maxItems: 0 })), {
      description: 'Must be empty: selectors are deleted one by one, under /api/v2/asset-group-tags',
    }),
  ),
  deleteRelationships: Type.Optional(
    Nullable(Type.Array(Type.String()), {
      description:
        'Must be empty: edges are deleted with their nodes, or when their source no longer states them',
    }),
  ),
});

/** What to delete. What can't be done as asked is refused as a whole: a caller must not believe it is gone. */
export function readClearRequest(body: Static<typeof ClearRequest>): Clear['wish'] {
  const problems: Problem[] = [];
  const refuse = (context: string, message: string) => problems.push({ context, message });
  const sourceKinds = (body.deleteSourceKinds ?? []).flatMap((given) => {
    const kind = typeof given === 'string' ? given : numberedKinds.get(given);
    if (kind !== undefined) return [kind];
    refuse('deleteSourceKinds', `there is no source kind ${given}: 1 is Base, 2 is AZBase; name others`);
    return [];
  });
  const wish = {
    graph: body.deleteCollectedGraphData === true,
    sourceKinds: [...new Set(sourceKinds)],
    fileHistory: body.deleteFileIngestHistory === true,
    posture: body.deleteDataQualityHistory === true,
  };
  if (body.confirm !== undefined && body.confirm !== confirmation)
    refuse('confirm', `to delete for good, confirm must be the word "${confirmation}"`);
  if ((body.deleteAssetGroupSelectors ?? []).length > 0)
    refuse(
      'deleteAssetGroupSelectors',
      'deleteAssetGroupSelectors must be empty: DELETE /api/v2/asset-group-tags/{id}/selectors/{id} deletes a selector',
    );
  if ((body.deleteRelationships ?? []).length > 0)
    refuse('deleteRelationships', "deleteRelationships must be empty: edges can't be deleted by kind");
  if (wish.graph && wish.sourceKinds.length > 0)
    refuse('deleteSourceKinds', 'deleteCollectedGraphData deletes every kind: give one of the two');
  if (
    problems.length === 0 &&
    !wish.graph &&
    !wish.fileHistory &&
    !wish.posture &&
    wish.sourceKinds.length === 0
  )
    refuse(
      'body',
      'nothing is chosen: set deleteCollectedGraphData, deleteSourceKinds, deleteFileIngestHistory or deleteDataQualityHistory',
    );
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
  return wish;
}
