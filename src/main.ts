console.log('kennel');
