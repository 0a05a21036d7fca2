// The application as it was before: its users, their JSON Web Tokens, and a route.

import Fastify, { type FastifyRequest } from 'fastify'
import { jwtVerify, SignJWT } from 'jose'
import { fastifyOptions } from 'resource-api'

export interface Employee {
  readonly id: string
  readonly name: string
  readonly company: string
}

/** Signs and verifies tokens with a secret of 32 characters or more. */
export function createTokens(secret: string) {
  const key = new TextEncoder().encode(secret)
  return {
    sign: ({ id, ...claims }: Employee): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setSubject(id).setExpirationTime('1h').sign(key),
    /** Undefined if the request has no valid token. */
    async findEmployee({ headers: { authorization = '' } }: FastifyRequest): Promise<Employee | undefined> {
      try {
        const token = authorization.replace(/^Bearer /, '')
        const { payload } = await jwtVerify<Omit<Employee, 'id'>>(token, key, {
          algorithms: ['HS256'],
          requiredClaims: ['sub'],
        })
        return { id: payload.sub!, name: payload.name, company: payload.company }
      } catch {
        return undefined
      }
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>

export function createExistingApp({ findEmployee }: Tokens) {
  // `fastifyOptions` is the only change: the API answers URLs that Fastify cannot decode.
  const app = Fastify(fastifyOptions())
  app.get('/me', async (request, reply) => (await findEmployee(request)) ?? reply.code(401).send())
  return app
}
