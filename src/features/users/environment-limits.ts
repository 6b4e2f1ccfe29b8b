import Type, { type Static } from 'typebox';
import { AppError, type Problem } from '../../errors.ts';
import { Nullable, Struct } from '../../http/schemas.ts';

/** Taken because deployed clients send them. Roles count in every environment, so a limit is refused, never ignored. */
export const environmentMembers = {
  all_environments: Type.Optional(
    Type.Boolean({ description: 'No effect: a role counts in every environment. false is refused.' }),
  ),
  environment_targeted_access_control: Type.Optional(
    Nullable(
      Struct({
        environments: Type.Optional(
          Nullable(Type.Array(Struct({ environment_id: Type.Optional(Type.String()) }))),
        ),
      }),
      { description: 'No effect while it names no environment; one that it names is refused.' },
    ),
  ),
};
const EnvironmentLimits = Struct(environmentMembers);

/** To ignore a limit would let the user see more than was asked for. */
export function refuseEnvironmentLimits({
  all_environments: all,
  environment_targeted_access_control: some,
}: Pick<Static<typeof EnvironmentLimits>, keyof typeof environmentMembers>): void {
  const why = 'a role counts in every environment here, and the user would see more than is asked for';
  const problems: Problem[] = [];
  if (all === false)
    problems.push({ context: 'all_environments', message: `all_environments can't be false: ${why}` });
  if ((some?.environments ?? []).length > 0) {
    const context = 'environment_targeted_access_control.environments';
    problems.push({ context, message: `${context} must be empty: ${why}` });
  }
  const [first] = problems;
  if (first !== undefined) throw new AppError('bad_request', first.message, { problems });
}
