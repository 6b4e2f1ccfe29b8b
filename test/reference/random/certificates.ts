import type { Node } from '../graph.ts';
import { drawController } from './computers.ts';
import { type Directory, drawOwners } from './directory.ts';
import type { Sketch } from './sketch.ts';

const anyPurpose = '2.5.29.37.0';
const agent = '1.3.6.1.4.1.311.20.2.1';
const client = '1.3.6.1.5.5.7.3.2';
const mail = '1.3.6.1.5.5.7.3.4';

/** Authorities with their chains, templates, and who may enroll. */
export function drawCertificates(sketch: Sketch, directory: Directory): void {
  const { domains, computers } = directory;
  const domain = sketch.pick(domains);
  drawRoots(sketch, domains, domain);
  const middle = sketch.chance(0.4)
    ? drawAuthority(sketch, 'AIACA', 'M1', sketch.pick(['R1', 'R2']), domain)
    : undefined;
  const authorities = ['E1', 'E2'].slice(0, sketch.upTo(2, 1)).map((print) => {
    const own = sketch.chance(0.2) ? 'R1' : print;
    const issuer = sketch.pick(middle ? ['R1', 'R2', 'M1', 'E1'] : ['R1', 'R1', 'R2']);
    return drawAuthority(
      sketch,
      'EnterpriseCA',
      own,
      issuer,
      sketch.holds() ? domain : sketch.pick(domains),
      print,
    );
  });
  drawStores(sketch, [domain, ...sketch.some(domains, 0.3)]);
  for (const ca of authorities) {
    describeAuthority(sketch, ca);
    if (sketch.holds()) sketch.edge(drawHost(sketch, computers, ca), 'HostsCAService', ca);
    if (sketch.chance(0.2)) sketch.edge(sketch.pick(computers), 'HostsCAService', ca);
    sketch.edgesFrom(sketch.few(directory.cast), 'Enroll', ca);
  }
  const templates = ['T1', 'T2', 'T3']
    .slice(0, sketch.upTo(3, 1))
    .map((id) => drawTemplate(sketch, id, domain));
  for (const template of templates) {
    for (const ca of authorities) if (sketch.chance(0.8)) sketch.edge(template, 'PublishedTo', ca);
    drawTemplateRights(sketch, template, directory);
  }
  drawPolicies(sketch, directory, domain, templates);
  if (sketch.chance(0.9))
    drawController(sketch, sketch.pick(computers), sketch.holds() ? domain : sketch.pick(domains));
  drawControl(sketch, directory);
  drawOwners(sketch, directory.cast, [...templates, ...directory.cast]);
}

function drawRoots(sketch: Sketch, domains: readonly Node[], home: Node): void {
  for (const print of ['R1', 'R2'].slice(0, sketch.upTo(2, 1))) {
    const root = sketch.node(`ROOT-${print}`, [sketch.holds() ? 'RootCA' : 'AIACA'], {
      domainsid: home.objectId,
      certthumbprint: sketch.nearly(print),
      certchain: [print],
    });
    for (const domain of domains)
      if (sketch.chance(domain === home ? 0.95 : 0.3)) sketch.edge(root, 'RootCAFor', domain);
  }
}

function drawAuthority(
  sketch: Sketch,
  kind: string,
  print: string,
  issuer: string,
  domain: Node,
  id = print,
): Node {
  return sketch.node(`CA-${id}`, [kind], {
    domainsid: sketch.nearly(domain.objectId, 'S-1-5-21-9-9-9'),
    certthumbprint: sketch.nearly(print),
    certchain: sketch.nearly([print, issuer], [print], []),
  });
}

function describeAuthority(sketch: Sketch, ca: Node): void {
  sketch.describe(
    ca,
    sketch.spoilOne({
      enrollmentagentrestrictionscollected: true,
      hasenrollmentagentrestrictions: sketch.chance(0.3),
      isuserspecifiessanenabledcollected: true,
      isuserspecifiessanenabled: true,
      hasvulnerableendpoint: true,
    }),
  );
}

function drawStores(sketch: Sketch, domains: readonly Node[]): void {
  for (const domain of new Set(domains)) {
    const store = sketch.node(`STORE-${domain.objectId}`, ['NTAuthStore'], {
      domainsid: domain.objectId,
      certthumbprints: sketch.nearly(['E1', 'E2', 'R1'], ['E2'], []),
    });
    if (sketch.holds()) sketch.edge(store, 'NTAuthStoreFor', domain);
  }
}

function drawHost(sketch: Sketch, computers: readonly Node[], ca: Node): Node {
  const near = computers.filter((computer) => computer.properties.domainsid === ca.properties.domainsid);
  const host = sketch.pick(near.length > 0 && sketch.holds() ? near : computers);
  sketch.describe(host, { enabled: sketch.holds() });
  return host;
}

function drawTemplate(sketch: Sketch, id: string, domain: Node): Node {
  const forAgents = sketch.chance(0.35);
  const ekus = sketch.pick([[], [client], [agent], [anyPurpose], [agent, anyPurpose], [mail]]);
  const flags = sketch.spoilOne({
    requiresmanagerapproval: false,
    authenticationenabled: true,
    nosecurityextension: true,
  });
  const conditions = sketch.spoilOne({
    enrolleesuppliessubject: sketch.chance(0.4),
    schemaversion: sketch.pick([1, 2, 4]),
    authorizedsignatures: forAgents ? 1 : 0,
    applicationpolicies: forAgents ? [agent] : [],
    effectiveekus: ekus,
    subjectaltrequireupn: sketch.chance(0.5),
    subjectaltrequirespn: sketch.chance(0.3),
    subjectaltrequiredns: sketch.chance(0.5),
    subjectaltrequiredomaindns: sketch.chance(0.1),
  });
  return sketch.node(`TEMPLATE-${id}`, ['CertTemplate'], {
    domainsid: sketch.nearly(domain.objectId, 'S-1-5-21-9-9-9'),
    schannelauthenticationenabled: sketch.pick([true, undefined, sketch.anyFlag()]),
    certificatepolicy: sketch.chance(0.5) ? ['1.2.3', '1.2.4'] : undefined,
    ...flags,
    ...conditions,
  });
}

function drawTemplateRights(sketch: Sketch, template: Node, { cast, groups }: Directory): void {
  const who = () => sketch.few(sketch.chance(0.3) ? [...groups, ...cast] : cast);
  if (sketch.holds()) sketch.edgesFrom(who(), 'Enroll', template);
  for (const kind of [
    'GenericAll',
    'AllExtendedRights',
    'GenericWrite',
    'WriteDacl',
    'WritePKINameFlag',
    'WritePKIEnrollmentFlag',
    'DelegatedEnrollmentAgent',
  ])
    if (sketch.chance(0.3)) sketch.edgesFrom(who(), kind, template);
}

function drawPolicies(
  sketch: Sketch,
  { groups, domains }: Directory,
  domain: Node,
  templates: readonly Node[],
): void {
  if (!templates.some((template) => template.properties.certificatepolicy !== undefined)) return;
  const policy = sketch.node('POLICY-1', ['IssuancePolicy'], {
    domainsid: sketch.nearly(domain.objectId, 'S-1-5-21-9-9-9'),
    certtemplateoid: sketch.pick(['1.2.3', undefined, sketch.nearly('1.2.3', '1.2.9')]),
    oid: sketch.pick(['1.2.3', undefined, sketch.nearly('1.2.3', '1.2.9')]),
  });
  const group = sketch.pick(groups);
  if (sketch.holds()) sketch.edge(policy, 'OIDGroupLink', group);
  const unit = sketch.node('UNIT-1', ['OU'], { domainsid: domain.objectId });
  if (sketch.holds()) sketch.edge(sketch.holds() ? domain : sketch.pick(domains), 'Contains', unit);
  if (sketch.holds()) sketch.edge(sketch.pick([unit, domain]), 'Contains', group);
}

/** Who controls whom, which certificates for others start from. */
function drawControl(sketch: Sketch, { cast, users, computers, groups }: Directory): void {
  for (const kind of ['GenericAll', 'GenericWrite', 'WriteDacl', 'WritePublicInformation'])
    for (const victim of sketch.some([...users, ...computers, ...computers, ...groups], 0.25))
      sketch.edge(sketch.pick([...users, ...cast]), kind, victim);
}
