// Settings that are right on a developer's machine and wrong in production, each as a sentence that says the fix.

import type { Settings } from './settings.ts'

/** What `serve` warns of in production. */
export function unsafeSettings({ authentication, publicUrl, allowedHosts }: Settings): readonly string[] {
  const isPlain = !publicUrl?.startsWith('https:')
  return [
    // AUTH-SCH-1, AUTH-SCH-2
    ...(isPlain
      ? ['PUBLIC_URL: passwords, tokens and sessions need HTTPS in production: set the https address of the service']
      : []),
    ...(authentication?.includes('basic')
      ? ['AUTHENTICATION: basic is for testing: leave it out, and let clients use tokens']
      : []),
    ...(allowedHosts.includes('*')
      ? ['ALLOWED_HOSTS: "*" lets anybody choose the links of answers: name the hosts']
      : []),
  ]
}
