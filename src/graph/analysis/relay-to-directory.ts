import { authenticatedUsersOf, domainOf } from './domains.ts';
import type { Rule } from './facts.ts';

/**
 * Anybody in the domain can make an unprotected computer that runs a web client log on over HTTP, and pass that on to a
 * domain controller, if one besides the computer itself answers and does not check: `unchecked` is false there and
 * `available` true.
 */
export function relayToDirectory({
  unchecked,
  available,
}: {
  readonly unchecked: string;
  readonly available: string;
}): Rule {
  return ({ estate, unprotectedComputers }, add) => {
    const controllersOf = new Map<number, Int32Array>();
    const openControllers = (domain: number): Int32Array => {
      let controllers = controllersOf.get(domain);
      if (controllers === undefined) {
        controllers = estate
          .sources(domain, 'DCFor')
          .filter(
            (dc) => estate.property(dc, unchecked) === false && estate.property(dc, available) === true,
          );
        controllersOf.set(domain, controllers);
      }
      return controllers;
    };
    unprotectedComputers.each((computer) => {
      if (estate.property(computer, 'webclientrunning') !== true) return;
      const domain = domainOf(estate, computer);
      if (domain === undefined || !openControllers(domain).some((controller) => controller !== computer))
        return;
      const anybody = authenticatedUsersOf(estate, domain);
      if (anybody !== undefined) add(anybody, computer);
    });
  };
}
