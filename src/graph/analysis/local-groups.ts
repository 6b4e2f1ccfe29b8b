import type { Estate } from './estate.ts';
import type { Rule } from './facts.ts';

/** Members of a local group may do something on its computer. Groups among them stay groups. */
export function localGroupGives(rid: number): Rule {
  return ({ estate }, add) => {
    estate.edges('LocalToComputer').each((group, computer) => {
      if (!isLocalGroup(estate, group, rid) || !estate.has(computer, 'Computer')) return;
      for (const member of estate.sources(group, 'MemberOfLocalGroup')) add(member, computer);
    });
  };
}

export function isLocalGroup(estate: Estate, group: number, rid: number): boolean {
  return estate.objectId(group).endsWith(`-${rid}`);
}
