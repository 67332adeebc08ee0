//! Configuration errors: place, problem, and the nearest valid name.

use std::fmt;

use super::Origin;
use crate::codes::Code;

/// One error in the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigError {
    /// Error code.
    pub code: &'static Code,
    /// Source of the setting; `None` if the error follows from several settings.
    pub origin: Option<Origin>,
    /// Description, which names the setting.
    pub text: String,
    /// Valid name that was probably meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Some(origin) => write!(f, "{origin}: {}", self.text)?,
            None => f.write_str(&self.text)?,
        }
        if let Some(suggestion) = &self.suggestion {
            write!(f, "; did you mean `{suggestion}`?")?;
        }
        write!(f, " ({})", self.code.id())
    }
}

/// All errors of a configuration, in the order they were found. Never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl ConfigErrors {
    /// Returns the code of the first error.
    #[must_use]
    pub fn code(&self) -> &'static Code {
        self.0.first().map_or(&crate::codes::CONFIG_INVALID, |error| error.code)
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

impl From<ConfigError> for ConfigErrors {
    fn from(error: ConfigError) -> Self {
        Self(vec![error])
    }
}
