// Example requests as curl commands. The demonstration prints them, and the home page shows them.

import type { ProfileName, Settings } from '../settings/settings.ts'

export interface FirstRequest {
  readonly title: string
  readonly line: string
}

export interface Credentials {
  readonly username: string
  readonly password: string
  readonly token: string
}

/** Creates the requests; `url` is the URL of the service, without a slash at its end. */
export function createShellExamples(
  settings: Settings,
  url: string,
  credentials: Credentials,
): readonly FirstRequest[] {
  const { profiles, authentication, tokenKeyword, tokenPath } = settings
  const { username, password, token } = credentials
  const credentialOption = authentication?.includes('token')
    ? `-H 'Authorization: ${tokenKeyword} ${token}'`
    : `-u ${username}:${password}`
  const listUrl = (profile: ProfileName, name: string) => `'${url}${findMountPath(settings, profile)}${name}'`
  const newSnippet = `-H 'Content-Type: application/json' -d '{"code": "print(1)"}'`
  const requests: Readonly<Record<ProfileName, FirstRequest>> = {
    directory: {
      title: 'List users, page 2',
      line: `curl ${credentialOption} ${listUrl('directory', 'users/?page=2')}`,
    },
    snippets: {
      title: 'Post a snippet',
      line: `curl ${credentialOption} ${newSnippet} ${listUrl('snippets', 'snippets/')}`,
    },
  }
  return [
    { title: 'Get a token', line: `curl -d username=${username} -d password=${password} '${url}${tokenPath}'` },
    ...(['directory', 'snippets'] as const).filter(name => profiles.includes(name)).map(name => requests[name]),
  ]
}

/** The path of a profile; a single profile is at the root. */
export const findMountPath = ({ profiles, mounts }: Settings, name: ProfileName): string =>
  profiles.length === 1 ? '/' : mounts[name]
