// Describes the login and the logout in the OpenAPI document.

import { type DescribeOperation, describeTakenObject, draftText, errorDescriptions, text } from '#core'
import { accountMessages } from '../messages.ts'

/** The fields of a login. */
export const loginFields = {
  username: text({ label: 'Username' }),
  password: text({ trim: false, label: 'Password' }),
}

export const describePage: DescribeOperation = () => ({
  id: 'getLoginPage',
  summary: accountMessages('openapi.show_login'),
  parameters: [
    {
      name: 'next',
      in: 'query',
      description: draftText(accountMessages('openapi.next_after')),
      schema: { type: 'string' },
    },
  ],
  responses: { 200: { description: accountMessages('openapi.page'), schema: {} } },
})

const csrfFields = {
  csrfmiddlewaretoken: text({
    required: false,
    help: accountMessages('openapi.csrf_token'),
  }),
  next: text({ required: false, help: accountMessages('openapi.next') }),
}

export const describeLogin: DescribeOperation = context => {
  const schema = describeTakenObject({ ...loginFields, ...csrfFields }, { method: 'POST' }, context)
  return {
    id: 'logIn',
    summary: accountMessages('openapi.log_in'),
    body: { required: true, schema, form: schema },
    responses: {
      200: { description: accountMessages('openapi.login_errors'), schema: {} },
      302: { description: accountMessages('openapi.session_begun'), headers: ['Location'] },
    },
    errors: { statuses: { 429: errorDescriptions[429] }, usesDatabase: true },
  }
}

export const describeLogout: DescribeOperation = context => {
  const schema = describeTakenObject(csrfFields, { method: 'POST' }, context)
  return {
    id: 'logOut',
    summary: accountMessages('openapi.log_out'),
    body: { required: false, schema, form: schema },
    responses: {
      204: { description: accountMessages('openapi.session_ended_json') },
      302: { description: accountMessages('openapi.session_ended'), headers: ['Location'] },
    },
    errors: { usesDatabase: true },
  }
}
