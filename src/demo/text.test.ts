import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { demoCommands, moreCommands, variables } from './commands.ts';
import { demoText } from './text.ts';

describe("the demonstration's text", () => {
  const access = { url: 'http://127.0.0.1:8080', token: 'u'.repeat(400), clientToken: 'c'.repeat(400) };
  const estate = { expendableProviderId: 3, readyTaskId: 11, collectorIds: {} };
  const now = Date.UTC(2026, 0, 31);
  const commandsWith = (given: typeof access) => [
    ...demoCommands(given, estate),
    ...moreCommands(given, now),
  ];
  const text = demoText(
    {
      url: access.url,
      username: 'admin',
      password: 'secret',
      token: access.token,
      client_token: access.clientToken,
      curl: demoCommands(variables, estate),
      more: moreCommands(variables, now),
    },
    '/data/demo',
  );
  const lines = text.split('\n');

  it('has the tokens in one line, which sets the variables, and short lines otherwise', () => {
    const long = lines.filter((line) => line.includes(access.token) || line.includes(access.clientToken));
    assert.deepEqual(long, [
      `export URL=${access.url} TOKEN=${access.token} CLIENT_TOKEN=${access.clientToken}`,
    ]);
    for (const line of lines) if (!line.startsWith('export ')) assert.ok(line.length < 240, line);
  });

  it('has lines that do, with the variables set, what the JSON line says', () => {
    const shown = lines.filter((line) => line.startsWith('curl '));
    const meant = shown.map((line) =>
      line
        .replaceAll('"$URL', `"${access.url}`)
        .replaceAll('Bearer $TOKEN"', `Bearer ${access.token}"`)
        .replaceAll('Bearer $CLIENT_TOKEN"', `Bearer ${access.clientToken}"`)
        .replace(/"(Authorization: [^"]*)"/, "'$1'")
        .replace(/"(http:[^"]*)"$/, "'$1'"),
    );
    assert.equal(shown.length, 11);
    assert.deepEqual(
      meant,
      commandsWith(access).map(({ command }) => command),
    );
  });
});
