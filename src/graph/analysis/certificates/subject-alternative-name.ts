import type { Estate } from '../estate.ts';
import type { Authority } from './authority.ts';

/** Whether the CA lets every request name anybody, whatever the template says; true only where it was asked. */
export function acceptsAnyName(estate: Estate, { node }: Authority): boolean {
  return (
    estate.property(node, 'isuserspecifiessanenabledcollected') === true &&
    estate.property(node, 'isuserspecifiessanenabled') === true
  );
}
