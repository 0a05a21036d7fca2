// Makes and uses passkeys: the browser shows its own window, and the form sends what it returns.

import { findElement, findElements, listen } from './pages.js'

const ask = (purpose, options) =>
  purpose === 'create'
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })

for (const form of findElements('[data-passkey]')) {
  const error = findElement('[role="alert"]', form)
  const button = findElement('button', form)
  listen(form, 'submit', async event => {
    event.preventDefault()
    error.hidden = button.disabled = true
    const { passkey, options } = form.dataset
    try {
      form.elements.passkey.value = JSON.stringify(await ask(passkey, JSON.parse(options)))
      form.submit()
    } catch {
      // The person has closed the window, or the browser is too old.
      error.textContent = error.dataset.failed
      error.hidden = button.disabled = false
    }
  })
}
