// The responses of views that issue or revoke tokens, for the OpenAPI document.

import { draftText, type OperationOptions } from '#core'
import { accountMessages } from '../messages.ts'

const secret = { type: 'string', description: draftText(accountMessages('openapi.token_once')) }

/** A response with a token and what is shown of it. */
export const tokenIssued = (status: 200 | 201): OperationOptions => ({
  responses: {
    [status]: {
      description: draftText(accountMessages('openapi.token_made')),
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { id: { type: 'integer' }, token: secret },
            required: ['id', 'token'],
          },
        },
      },
    },
  },
})

/** The response to a request that revokes tokens. */
export const tokensRevoked: OperationOptions = {
  responses: { 204: { description: draftText(accountMessages('openapi.tokens_revoked')) } },
}
