import { type HandlerContext, readFields, ValidationError } from '#core'
import { loginFields } from './describe-login.ts'

type Credentials = { readonly username: string; readonly password: string }

/** The username and the password of a login, or why there are none. */
export async function readCredentials({
  requestBody,
  baseUrl,
}: HandlerContext): Promise<Credentials | { readonly errors: readonly string[] }> {
  try {
    const values = await readFields(loginFields, requestBody, { context: { baseUrl, route: () => undefined } })
    return values as Credentials
  } catch (error) {
    if (error instanceof ValidationError) return { errors: formatErrors(error) }
    throw error
  }
}

const formatErrors = ({ detail }: ValidationError): readonly string[] =>
  Array.isArray(detail)
    ? detail.map(String)
    : Object.entries(detail).map(
        ([name, messages]) => `${loginFields[name as keyof typeof loginFields].label}: ${messages}`,
      )
