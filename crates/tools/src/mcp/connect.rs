//! Connecting a server whose tokens a person grants.

use tokio::time::timeout;

use super::{Http, Server, Transport};
use crate::oauth::{Authorization, Consent};
use crate::transport_fault;

impl Server {
    fn authorization(&self) -> Result<&Authorization, String> {
        match &self.transport {
            Transport::Http { client: Http { authorization: Some(authorization), .. }, .. } => {
                Ok(authorization)
            }
            _ => Err("it takes no grants: there is no `oauth` among its settings".into()),
        }
    }

    /// Begins to connect. `back` is the address that the person comes back to.
    ///
    /// # Errors
    /// There is nothing to agree to; the text is for people.
    pub(crate) async fn begin(&self, back: &str) -> Result<Consent, String> {
        let authorization = self.authorization()?;
        let challenge = timeout(self.timeouts.ready, self.challenge()).await;
        authorization.begin(back, challenge.ok().flatten().as_deref()).await
    }

    /// Ends what [`Self::begin`] began, with the address that the person came back by.
    ///
    /// # Errors
    /// There is no grant, or it was not kept; the text is for people.
    pub(crate) async fn finish(&self, consent: &Consent, back: &str, by: &str) -> Result<(), String> {
        self.authorization()?.finish(consent, back, by).await?;
        // The next call begins a connection with the new token.
        let mut state = self.state.lock().await;
        (state.open, state.failures, state.again) = (None, 0, None);
        Ok(())
    }

    /// Asks for what any client asks first, without a token, and returns what the server says as it refuses.
    async fn challenge(&self) -> Option<String> {
        let Transport::Http { client, config } = &self.transport else { return None };
        let open = Http { client: client.client.clone(), authorization: None };
        let open = Transport::Http { client: open, config: config.clone() };
        match self.connect_by(&open).await.ok()? {
            Err(error) => error.auth_challenge().map(str::to_owned),
            Ok(connection) => {
                let listed = connection.running.list_tools(None).await.err()?;
                transport_fault::challenge_of_list(&listed).map(str::to_owned)
            }
        }
    }
}
