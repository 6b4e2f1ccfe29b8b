import Type from 'typebox';
import { published, Struct, Uuid } from '../../http/schemas.ts';

export const LoginRequest = Struct({
  login_method: Type.String({
    maxLength: 20,
    description: 'secret, in any case',
    ...published({ pattern: '^[sS][eE][cC][rR][eE][tT]$' }),
  }),
  username: Type.String({ minLength: 1, maxLength: 1000, description: 'Principal name or e-mail address' }),
  secret: Type.String({ maxLength: 1024 }),
  otp: Type.Optional(Type.String({ maxLength: 20, description: 'One-time password, where one is set up' })),
});

export const LoginAnswer = Struct({
  data: Struct({
    user_id: Uuid,
    auth_expired: Type.Boolean({ description: 'The password has expired and must be changed first' }),
    session_token: Type.String({ description: 'The JWT to send as Bearer token' }),
  }),
});
