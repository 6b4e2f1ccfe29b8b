import Type from 'typebox';
import { Document, type Register } from '../../http/operation.ts';
import { Struct } from '../../http/schemas.ts';
import type { FeatureFlags } from '../feature-flags/index.ts';

const html = 'text/html';

const about = 'Kennel, a management server for graph-based identity-security analysis';

/** Where to go from here; what is switched off is left out. */
function places(hasDocsPage: boolean) {
  return {
    ...(hasDocsPage ? { api_page: '/api/docs' } : {}),
    api_document: '/api/v2/openapi.json',
    sign_in: '/api/v2/login',
    ready: '/health/ready',
  };
}

/** What somebody finds who knows no more than the address. */
export function registerStartPage(register: Register, flags: FeatureFlags): void {
  register({
    id: 'GetStartPage',
    method: 'GET',
    url: '/',
    tag: 'API document',
    summary: 'What this server is, and where to go',
    description: 'Browsers, which prefer `text/html`, get a page that says the same.',
    access: 'public',
    answer: Struct({
      data: Struct({
        about: Type.String(),
        api_page: Type.Optional(
          Type.String({
            description: 'where every operation can be tried; left out where it is switched off',
          }),
        ),
        api_document: Type.String(),
        sign_in: Type.String({ description: 'takes a POST' }),
        ready: Type.String(),
      }),
    }),
    answerExample: { data: { about, ...places(true) } },
    documents: { [html]: 'the same as a page' },
    handle: async (call) => {
      const found = places(await flags.isEnabled('api_docs_page'));
      return call.prefers(html) ? new Document(html, page(found)) : { data: { about, ...found } };
    },
  });
}

/** Without a style or a script: the policy of this server allows none. */
function page({ api_page, api_document, ready }: ReturnType<typeof places>): string {
  const links = [
    ...(api_page === undefined ? [] : [[api_page, 'Try the API in this browser']]),
    [api_document, 'The API document (OpenAPI)'],
    [ready, 'Whether the server is ready'],
  ];
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Kennel</title></head>
<body>
<h1>Kennel</h1>
<p>This is ${about}. It is used through its API.</p>
<ul>
${links.map(([address, text]) => `<li><a href="${address}">${text}</a></li>`).join('\n')}
</ul>
<p>For scripts, <code>npx kennel token</code> on this server's machine prints a token.</p>
</body>
</html>
`;
}
