// Makes and uses passkeys: the browser shows its own window, and the form sends what it returns. Only pages with such a form load this.

for (const form of document.querySelectorAll('[data-passkey]')) {
  const error = form.querySelector('[role="alert"]')
  const button = form.querySelector('button')
  const { passkey, options } = form.dataset
  const ask = () => {
    const json = JSON.parse(options)
    return passkey === 'create'
      ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json) })
      : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(json) })
  }
  form.addEventListener('submit', async event => {
    event.preventDefault()
    error.hidden = button.disabled = true
    try {
      form.elements.passkey.value = JSON.stringify(await ask())
      form.submit()
    } catch {
      // The person has closed the window, or the browser is too old.
      error.textContent = error.dataset.failed
      error.hidden = button.disabled = false
    }
  })
  form.hidden = false
}
