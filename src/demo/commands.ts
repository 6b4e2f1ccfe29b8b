import { templateId } from './estate/certificates.ts';
import { corp, plant } from './estate/domain.ts';
import type { FilledEstate } from './fill.ts';

export interface DemoCommand {
  readonly operation: string;
  readonly command: string;
}

interface Demo {
  readonly url: string;
  readonly token: string;
  readonly clientToken: string;
  readonly estate: FilledEstate;
}

/** One line for each of the eight operations, to be pasted into a shell in any order, again and again. */
export function demoCommands({ url, token, clientToken, estate }: Demo): DemoCommand[] {
  const curl = (path: string, options = '', bearer = token) =>
    `curl -sS ${options === '' ? '' : `${options} `}-H 'Authorization: Bearer ${bearer}' '${url}/api/v2${path}'`;
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
        clientToken,
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
