import { day } from '../values/time.ts';
import { templateId } from './estate/certificates.ts';
import { corp, plant } from './estate/domain.ts';
import { historyDays } from './estate/story.ts';
import type { FilledEstate } from './fill.ts';

export interface DemoCommand {
  readonly operation: string;
  readonly command: string;
}

/** What the lines are made with: the values themselves, or the names of variables that hold them. */
interface Access {
  readonly url: string;
  readonly token: string;
  readonly clientToken: string;
}

/** Short lines for people, who set these once. */
export const variables: Access = { url: '$URL', token: '$TOKEN', clientToken: '$CLIENT_TOKEN' };

function curlLine(access: Access, path: string, options = '', bearer = access.token): string {
  const quote = access === variables ? '"' : "'";
  const quoted = (text: string) => quote + text + quote;
  return [
    'curl -sS',
    ...(options === '' ? [] : [options]),
    `-H ${quoted(`Authorization: Bearer ${bearer}`)}`,
    quoted(`${access.url}/api/v2${path}`),
  ].join(' ');
}

/** One line for each of the eight operations, to be pasted into a shell in any order, again and again. */
export function demoCommands(access: Access, estate: FilledEstate): DemoCommand[] {
  const curl = (path: string, options?: string, bearer?: string) => curlLine(access, path, options, bearer);
  const json = (body: object) => `-H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    { operation: 'List SAML providers', command: curl('/saml') },
    {
      operation: 'Delete a SAML provider',
      command: curl(`/saml/providers/${estate.expendableProviderId}`, '-X DELETE'),
    },
    { operation: 'Cancel a scheduled task', command: curl(`/tasks/${estate.readyTaskId}/cancel`, '-X PUT') },
    {
      operation: 'Notify the API of a job ending',
      command: curl(
        '/jobs/end',
        `-X POST ${json({ status: 'COMPLETE', message: 'Collection completed successfully' })}`,
        access.clientToken,
      ),
    },
    {
      operation: 'List the certificate authorities that a template is published to',
      command: curl(`/certtemplates/${templateId('WEB-SERVER')}/published-to-cas?limit=5&sort_by=-name`),
    },
    {
      operation: 'Write a configuration parameter',
      command: curl(
        '/config',
        `-X PUT ${json({ key: 'prune.ttl', value: { base_ttl: 'P14D', has_session_edge_ttl: 'P3D' } })}`,
      ),
    },
    {
      operation: 'Get posture history',
      command: curl(`/posture-history/exposure?environments=${corp.sid}&environments=${plant.sid}`),
    },
    { operation: 'Get a custom node kind', command: curl('/custom-nodes/BackupVault') },
  ];
}

/** What the computed history is good for, beyond the eight. */
export function moreCommands(access: Access, now: number): DemoCommand[] {
  const from = new Date(now - historyDays * day).toISOString().slice(0, 10);
  const diff = `/posture-diff?from=${from}T12:00:00Z&environments=${corp.sid}`;
  return [
    {
      operation: 'List findings, the most severe first',
      command: curlLine(access, '/attack-paths/findings?limit=5'),
    },
    {
      operation: 'List what was found once and is gone',
      command: curlLine(access, '/attack-paths/findings?state=eq:remediated'),
    },
    { operation: 'Compare posture with the first day', command: curlLine(access, diff) },
  ];
}
