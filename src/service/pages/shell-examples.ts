// Example requests as curl commands. The demonstration prints them, and the home page shows them.

import { pageMessages } from '#pages'
import type { OpenProfile } from '../open-profiles.ts'
import type { ExampleRequest } from '../profile-options.ts'
import type { Settings } from '../settings/settings.ts'

export interface ShellExample {
  readonly title: string
  readonly line: string
}

export interface Credentials {
  readonly username: string
  readonly password: string
  readonly token: string
}

/** Creates the commands; `url` is the URL of the service, without a slash at its end. */
export function createShellExamples(
  { settings, profiles }: { readonly settings: Settings; readonly profiles: readonly OpenProfile[] },
  url: string,
  credentials: Credentials,
  tokenTitle = pageMessages('page.get_token').message,
): readonly ShellExample[] {
  const { authentication, tokenKeyword, tokenPath } = settings
  const { username, password, token } = credentials
  const credentialOption = authentication?.includes('token')
    ? `-H ${quote(`Authorization: ${tokenKeyword} ${token}`)}`
    : `-u ${quoteIfNeeded(`${username}:${password}`)}`
  const formatLine = ({ mount }: OpenProfile, { path, body }: ExampleRequest) =>
    ['curl', credentialOption, ...formatBody(body), quote(url + mount + path)].join(' ')
  return [
    { title: tokenTitle, line: formatTokenLine(credentials, url + tokenPath) },
    ...profiles.flatMap(profile =>
      profile.examples.map(example => ({ title: example.title, line: formatLine(profile, example) })),
    ),
  ]
}

const formatTokenLine = ({ username, password }: Credentials, url: string): string =>
  `curl -d ${quoteIfNeeded(`username=${username}`)} -d ${quoteIfNeeded(`password=${password}`)} ${quote(url)}`

const formatBody = (body: object | undefined): readonly string[] =>
  body === undefined ? [] : [`-H 'Content-Type: application/json' -d ${quote(formatJson(body))}`]

/** JSON with a space after `:` and `,`. */
const formatJson = (body: object): string =>
  JSON.stringify(body, null, 1)
    .replace(/(?<=[[{])\n\s*|\n\s*(?=[\]}])/g, '')
    .replace(/\n\s*/g, ' ')

// A scheme of the application may identify callers with usernames that a shell would interpret.
const quoteIfNeeded = (text: string): string => (/^[\w.:=@+-]+$/.test(text) ? text : quote(text))

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
